import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSignedWith } from '@hortus/client/webhook-signature';
import { Failure } from '../failure.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const FORWARD_MS = 30_000;
/** Headers of a delivery that the forwarded request has too. */
const passedOn = /^(content-type|user-agent|x-service-|webhook-)/;

export interface ReceivedDelivery {
  readonly at: string;
  readonly event: string | null;
  readonly delivery: string | null;
  /** Null if no secret is known. */
  readonly verified: boolean | null;
  /** Status of the program that it was forwarded to, or why it did not answer. */
  readonly forwarded: number | string | null;
  readonly body: unknown;
}

export interface Listening {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly secret: string | undefined;
  readonly forward: string | undefined;
  now(): number;
  received(delivery: ReceivedDelivery): void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** Receives webhook deliveries, verifies them, and answers with the status of the program that they are forwarded to. */
export async function startListener(listening: Listening): Promise<Listener> {
  const server = createServer((request, response) => {
    receive(request, listening).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  });
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(cannotListen(error, listening)));
    server.listen(listening.port, listening.host, done);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const cannotListen = ({ code, message }: NodeJS.ErrnoException, { host, port }: Listening) =>
  new Failure('usage', `Cannot listen on ${host}:${port}: ${code === 'EADDRINUSE' ? 'the port is in use' : message}.`, {
    hint: 'Choose another port with --port.',
  });

async function receive(request: IncomingMessage, listening: Listening): Promise<number> {
  if (request.method !== 'POST') return 405;
  const body = await bodyOf(request);
  if (body === undefined) return 413;
  const { secret, forward } = listening;
  const header = (name: string) => [request.headers[name]].flat()[0] ?? null;
  const verified = secret === undefined ? null : await isSignedWith(secret, body, header('x-service-signature'));
  const forwarded = forward === undefined || verified === false ? null : await passOn(forward, request, body);
  listening.received({
    at: new Date(listening.now()).toISOString(),
    event: header('x-service-event'),
    delivery: header('x-service-delivery'),
    verified,
    forwarded,
    body: parsed(body.toString()),
  });
  if (verified === false) return 403;
  return typeof forwarded === 'string' ? 502 : (forwarded ?? 200);
}

/** Returns undefined for a body that is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Sends the same bytes, so that the receiver can verify the signature too. */
async function passOn(url: string, request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<number | string> {
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
    passedOn.test(name) ? values.map((value): [string, string] => [name, value]) : [],
  );
  try {
    const signal = AbortSignal.timeout(FORWARD_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    return cause?.code ?? (error as Error).message;
  }
}
