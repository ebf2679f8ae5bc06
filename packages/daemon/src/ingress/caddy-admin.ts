import { closeSync, openSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { ADMIN_HOST, ADMIN_SOCKET } from './caddy-document.ts';

/** Caddy rejected a request; the message is Caddy's. */
export class CaddyRefusal extends Error {}

/** A reload waits for the `shutdown_delay` of the document. */
const LOAD_MS = 30_000;
const PING_MS = 2_000;

/** Client of Caddy's admin API over its socket. */
export class CaddyAdmin {
  readonly #directory: number;
  readonly #socketPath: string;

  /** `directory` is Caddy's working directory. A path by its descriptor stays short, however deep the directory is. */
  constructor(directory: string) {
    this.#directory = openSync(directory, 'r');
    this.#socketPath = `/proc/self/fd/${this.#directory}/${ADMIN_SOCKET}`;
  }

  close(): void {
    closeSync(this.#directory);
  }

  async responds(): Promise<boolean> {
    // Not /config, which waits for a running reload.
    return await this.#ask('GET', '/reverse_proxy/upstreams', undefined, PING_MS).then(
      () => true,
      (error) => error instanceof CaddyRefusal,
    );
  }

  /** Loads a configuration atomically; Caddy ignores an unchanged one. */
  async load(document: unknown): Promise<void> {
    await this.#ask('POST', '/load', document, LOAD_MS);
  }

  #ask(method: string, path: string, body: unknown, timeout: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { host: ADMIN_HOST, 'content-type': 'application/json' };
      const outgoing = request({ socketPath: this.#socketPath, method, path, headers, agent: false });
      const limit = setTimeout(
        () => outgoing.destroy(new Error(`Caddy did not respond within ${timeout} ms`)),
        timeout,
      );
      const failed = (error: Error) => {
        clearTimeout(limit);
        reject(error);
      };
      const onResponse = (response: IncomingMessage) => {
        let text = '';
        const add = (chunk: string) => {
          text += chunk;
        };
        const end = () => {
          clearTimeout(limit);
          if (response.statusCode === 200) resolve(text);
          else reject(new CaddyRefusal(messageIn(text)));
        };
        response.setEncoding('utf8').on('data', guardedBy(reject, add));
        response.on('error', reject);
        response.on('end', guardedBy(reject, end));
      };
      outgoing.on('response', guardedBy(reject, onResponse));
      outgoing.on('error', guardedBy(reject, failed));
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function messageIn(text: string): string {
  try {
    return String(JSON.parse(text).error ?? text);
  } catch {
    return text.slice(0, 500);
  }
}
