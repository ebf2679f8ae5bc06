import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { DeployedSpecies } from './deployed-species.ts';

export interface Page {
  readonly status: number;
  readonly text: string;
}

type Body = string | Uint8Array<ArrayBuffer> | URLSearchParams | FormData;

/** Largest number of redirects a page may lead through. */
const MAX_REDIRECTS = 5;

/**
 * A browser without scripts: keeps cookies, follows redirects, and sends the headers that the ingress adds. It asks the container
 * directly, because nothing resolves the public name.
 */
export class Visitor {
  readonly #deployed: DeployedSpecies;
  readonly #cookies = new Map<string, string>();

  constructor(deployed: DeployedSpecies) {
    this.#deployed = deployed;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#ask('GET', path, headers);
  }

  /** Sends a form like a page of the site. */
  post(path: string, fields: Record<string, string>): Promise<Page> {
    return this.#ask('POST', path, {}, new URLSearchParams(fields));
  }

  /** Sends a body; a string is JSON. */
  send(method: string, path: string, body: Body, headers: Record<string, string> = {}): Promise<Page> {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    return this.#ask(method, path, { ...type, ...headers }, body);
  }

  /** Returns a field of the form on a page, such as a token. */
  async field(path: string, name: string): Promise<string> {
    return fieldOf(await this.get(path), name);
  }

  async #ask(method: string, path: string, input: Record<string, string>, body?: Body, redirects = 0): Promise<Page> {
    const route = this.#deployed.manifest.routes.find(({ primary }) => primary) ?? expect.fail('no primary route');
    // With the port of the ingress, which is not the usual one in a test.
    const { host } = new URL(route.url);
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers: Record<string, string> = {
      host,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': host,
      cookie,
      ...input,
    };
    const address = { host: await this.#deployed.address(route.component), port: route.port };
    const response = await exchange({ ...address, method, path, headers }, body);
    for (const line of response.headers['set-cookie'] ?? []) this.#keep(line);
    const [status = 0, to, text] = [response.statusCode, response.headers.location, await textOf(response)];
    if (to === undefined || status < 300 || status >= 400) return { status, text };
    expect(redirects, `${path} leads in circles`).toBeLessThan(MAX_REDIRECTS);
    const next = new URL(to, `https://${host}${path}`);
    expect(next.host, `${path} leads away`).toBe(host);
    return await this.#ask('GET', `${next.pathname}${next.search}`, {}, undefined, redirects + 1);
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const [, expires] = /;\s*expires=([^;]+)/i.exec(line) ?? [];
    if (expires !== undefined && Date.parse(expires) < Date.now()) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}

/** Returns the value of a field on a page that was read. */
export function fieldOf({ text }: Page, name: string): string {
  const input = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(text)?.[0] ?? expect.fail(`no ${name}: ${text}`);
  return /value="([^"]*)"/.exec(input)?.[1] ?? '';
}

/** Not fetch, which sends the address as the name of the host. */
async function exchange(options: RequestOptions, body?: Body): Promise<IncomingMessage> {
  const content = new Response(body);
  const type = content.headers.get('content-type');
  const bytes = Buffer.from(await content.arrayBuffer());
  // Node announces no length for a DELETE.
  const about = body && { ...(type && { 'content-type': type }), 'content-length': bytes.length };
  const sent = request({ ...options, headers: { ...about, ...options.headers } });
  sent.end(bytes);
  const [response] = await once(sent, 'response');
  return response;
}
