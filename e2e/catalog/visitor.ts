import { expect } from 'vitest';
import type { DeployedSpecies } from './deployed-species.ts';

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

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
    return this.#ask(path, { headers });
  }

  /** Sends a form like a page of the site. */
  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    return this.#ask(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  }

  /** Sends a body as it is; a string is JSON. */
  send(method: string, path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    return this.#ask(path, { method, body, headers: { ...type, ...headers } });
  }

  /** Returns a field of the form on a page, such as a token. */
  async field(path: string, name: string): Promise<string> {
    const { text } = await this.get(path);
    const input = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(text)?.[0] ?? expect.fail(`no ${name}: ${text}`);
    return /value="([^"]*)"/.exec(input)?.[1] ?? '';
  }

  async #ask(path: string, init: RequestInit, redirects = 0): Promise<Page> {
    const route = this.#deployed.manifest.routes.find(({ primary }) => primary) ?? expect.fail('no primary route');
    const address = await this.#deployed.address(route.component);
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`http://${address}:${route.port}${path}`, {
      ...init,
      redirect: 'manual',
      headers: {
        host: route.host,
        'x-forwarded-proto': 'https',
        'x-forwarded-host': route.host,
        cookie,
        ...init.headers,
      },
    });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    const to = answer.headers.get('location');
    if (to === null || answer.status < 300 || answer.status >= 400)
      return { status: answer.status, text: await answer.text(), headers: answer.headers };
    expect(redirects, `${path} leads in circles`).toBeLessThan(MAX_REDIRECTS);
    const { pathname, search, host } = new URL(to, `https://${route.host}${path}`);
    expect(host, `${path} leads away`).toBe(route.host);
    await answer.arrayBuffer();
    return await this.#ask(`${pathname}${search}`, {}, redirects + 1);
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    this.#cookies.set(name, value);
  }
}
