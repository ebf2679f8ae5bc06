import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import { openPortForward, type PortForward, type Swarm } from '@hortus/testkit/swarm';
import { REVISION_HOST } from '../ingress-document.ts';
import type { AskNode } from '../ingress-nodes.ts';

export interface NodeResponse {
  status: number | undefined;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

/** Asks a gate over TLS, without verifying the certificate. */
export const requestSecurely = (socketPath: string, host: string): Promise<NodeResponse> =>
  request(socketPath, host, '/', { get: getSecurely, servername: host, rejectUnauthorized: false });

/** Ways from this machine to the ingress of the nodes, which only the nodes themselves reach. */
export class PortForwards implements AsyncDisposable {
  readonly #forwards = new Map<string, PortForward>();

  /** Opens a way to the HTTP port of some nodes, by position. */
  static async open(swarm: Swarm, places: readonly number[]): Promise<PortForwards> {
    const forwards = new PortForwards();
    for (const place of places) {
      const node = swarm.nodes[place];
      if (node) forwards.#forwards.set(node.address, await openPortForward(swarm.nodes[0], node, 80));
    }
    return forwards;
  }

  get sockets(): string[] {
    return [...this.#forwards.values()].map(({ socketPath }) => socketPath);
  }

  /** Asks the ingress of one of the nodes, by its order here. */
  request(index: number, host: string, path = '/'): Promise<NodeResponse> {
    return request(this.sockets[index] ?? '', host, path);
  }

  readonly ask: AskNode = async (address) => {
    const gate = this.#forwards.get(address);
    if (!gate) throw new Error(`there is no way to ${address}`);
    const { body } = await request(gate.socketPath, REVISION_HOST, '/').catch(() => ({ body: undefined }));
    return body;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    for (const gate of this.#forwards.values()) await gate[Symbol.asyncDispose]();
  }
}

interface Secure {
  get: typeof getSecurely;
  servername: string;
  rejectUnauthorized: boolean;
}

function request(socketPath: string, host: string, path: string, secure?: Secure): Promise<NodeResponse> {
  const { get: send = get, ...tls } = secure ?? {};
  return new Promise((resolve, reject) => {
    const options = { socketPath, path, headers: { host }, agent: false, timeout: 15_000, ...tls };
    const asked = send(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, body: body.trim(), headers: response.headers }));
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer within 15 s')));
    asked.on('error', reject);
  });
}
