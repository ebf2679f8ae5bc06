import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { OrderBinding } from '../trust/connection-orders.ts';
import { orders } from './signing.ts';

interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  key: string | undefined;
}
export interface Message extends Record<string, unknown> {
  type: string;
}

/** A scripted service over real HTTP and a real WebSocket. */
export class FakeService {
  /** Reply to `auth`; undefined for a service that knows only the published messages. */
  greeting: Record<string, unknown> | undefined;
  /** Close code for every further `auth`. */
  turnAwayWith: number | undefined;
  /** Whether the service is unavailable. */
  down = false;
  pending: Record<string, unknown>[] = [];
  /** Active transfers with their orders; the service signs them for each request, with its nonce. */
  transfers: (nonce: string | null) => readonly { id: string; order: object }[] = () => [];
  manifests = new Map<string, unknown>();
  /** Signs a manifest for the request with this nonce. */
  signFor: (manifest: unknown, nonce: string | null) => unknown = (manifest) => manifest;
  /** Connections of the daemon for streams, in order. */
  readonly streams: WebSocket[] = [];
  /** Files to download, by path. */
  readonly files = new Map<string, string>();
  readonly calls: Call[] = [];
  readonly messages: Message[] = [];
  readonly auths: Message[] = [];
  socket: WebSocket | undefined;
  /** Signs outgoing messages; daemons reject unsigned ones. */
  sign: (message: Message) => Message = (message) => message;
  /** For members of a cluster: whether they lead, and in which epoch. Undefined for a plain server. */
  leadership: { leads: boolean; epoch: number; since?: number; lease_ms?: number } | undefined;
  /** Whether results over the channel are acknowledged. */
  acknowledges = true;
  #orders = 0;
  readonly #http: Server;
  readonly #ws = new WebSocketServer({ noServer: true });

  private constructor() {
    this.#http = createServer((request, response) => {
      const file = this.files.get((request.url ?? '').replace('/api/v1', ''));
      if (file !== undefined) return void createReadStream(file).pipe(response);
      void this.#respond(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    this.#http.on('upgrade', (request, socket, head) => {
      if (!this.down && request.url === '/api/v1/ws/stream')
        return this.#ws.handleUpgrade(request, socket, head, (ws) => this.streams.push(ws));
      if (this.down || request.url !== '/api/v1/ws/server') return socket.destroy();
      this.#ws.handleUpgrade(request, socket, head, (ws) => this.#connected(ws));
    });
  }

  static async listen(port = 0): Promise<FakeService> {
    const service = new FakeService();
    await new Promise<void>((resolve) => service.#http.listen(port, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/api/v1`;
  }

  send(message: Message): void {
    this.socket?.send(JSON.stringify(this.sign(this.bound(message))));
  }

  /** Sends a message as it is, also one that was recorded. */
  replay(message: object): void {
    this.socket?.send(JSON.stringify(message));
  }

  /** Binds an order to the connection of the daemon, unless it is signed already. */
  bound(message: Message): Message & OrderBinding {
    if (!orders.includes(message.type) || 'signature' in message) return message;
    const connection_nonce = String(this.auths.at(-1)?.connection_nonce);
    return { connection_nonce, order_number: ++this.#orders, ...message };
  }

  /** Says who leads, in answer to a renewal or by itself. */
  sendLeadership(renewal?: number): void {
    if (!this.leadership) return;
    const responded = renewal === undefined ? {} : { renewal };
    this.send({ type: 'leadership', member_id: 'cmb_1', lease_ms: 6_000, ...this.leadership, ...responded });
  }

  hangUp(): void {
    for (const client of this.#ws.clients) client.terminate();
    this.socket = undefined;
  }

  callsTo(method: string, path: string): Call[] {
    return this.calls.filter((call) => call.method === method && call.path === path);
  }

  said(type: string): Message[] {
    return this.messages.filter((message) => message.type === type);
  }

  async close(): Promise<void> {
    this.hangUp();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #connected(ws: WebSocket): void {
    ws.on('message', (data) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.type === 'auth') {
        this.auths.push(message);
        if (this.turnAwayWith) return ws.close(this.turnAwayWith);
        this.socket = ws;
        if (this.greeting) this.send({ type: 'authenticated', ...this.greeting });
        else this.send({ type: 'ping', ts: 1 });
        this.sendLeadership();
        return;
      }
      if (message.type === 'leadership_renewal') this.sendLeadership(message.renewal as number);
      this.messages.push(message);
      const result = message.type === 'action_completed' || message.type === 'action_failed';
      if (result && this.greeting && this.acknowledges) {
        this.send({ type: 'result_recorded', execution_id: message.execution_id });
      }
    });
  }

  async #respond(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const url = new URL(request.url ?? '', 'http://service');
    const path = url.pathname.replace('/api/v1', '');
    const method = request.method ?? '';
    if (this.down) return failure(500, 'SERVER_ERROR');
    const body = text === '' ? {} : JSON.parse(text);
    this.calls.push({ method, path, query: url.searchParams, body, key: request.headers.authorization?.slice(7) });
    return { status: 200, ...this.#route(method, path, url.searchParams, body) };
  }

  #route(method: string, path: string, query: URLSearchParams, body: Record<string, unknown>) {
    const ok = (data: unknown, more = {}) => ({ body: { success: true, data, ...more } });
    if (path === '/deployments/pending') {
      return ok(this.pending, { pagination: { page: 1, per_page: 100, total: this.pending.length, total_pages: 1 } });
    }
    const status = /^\/deployments\/([^/]+)\/status$/.exec(path)?.[1];
    if (status) {
      const found = this.pending.find(({ id }) => id === status);
      return found ? ok({ ...found, ...body, cancelling: found.cancelling ?? false }) : failure(404, 'NOT_FOUND');
    }
    if (path === '/transfers/pending') {
      const data = this.transfers(query.get('nonce'));
      return ok(data, { pagination: { page: 1, per_page: 100, total: data.length, total_pages: 1 } });
    }
    if (method === 'PATCH' && path.startsWith('/transfers/')) return ok({});
    if (path === '/manifest') {
      const manifest = this.manifests.get(query.get('deployment_id') ?? '');
      return manifest ? ok(this.signFor(manifest, query.get('nonce'))) : failure(404, 'NOT_FOUND');
    }
    if (path === '/deploy/report') {
      this.pending = this.pending.filter(({ id }) => id !== body.deployment_id);
      return ok({ id: body.deployment_id, instance_id: 'ins_1' });
    }
    if (method === 'PUT' || method === 'POST') return ok({});
    return failure(404, 'NOT_FOUND');
  }
}

function failure(status: number, code: string) {
  return { status, body: { success: false, error: { code, message: 'No.' } } };
}
