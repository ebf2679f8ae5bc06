import { type Client, createClient } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import { isTracing, traceParent } from '@hortus/tracing/span';

/** REST client with the current key. Does not retry; callers decide that. */
export class Service {
  readonly baseUrl: string;
  #key: string;
  #client: Client;

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
    this.#client = this.#open(key);
  }

  get key(): string {
    return this.#key;
  }

  get call(): Client['call'] {
    return this.#client.call;
  }

  useKey(key: string): void {
    this.#key = key;
    this.#client = this.#open(key);
  }

  #open(key: string): Client {
    const send = isTracing() ? { fetch: tracedFetch } : {};
    return createClient({ baseUrl: this.baseUrl, key, retries: { attempts: 1 }, timeoutMs: 20_000, ...send });
  }
}

/** Tells the service which span a request belongs to. */
const tracedFetch: typeof fetch = (address, request) => {
  const headers = new Headers(request?.headers);
  const current = traceParent();
  if (current !== undefined) headers.set('traceparent', current);
  return fetch(address, { ...request, headers });
};

/** Answers whether the service rejected a request for good, so that a retry is useless. */
export function isRefusal(error: unknown): error is ApiProblem {
  if (!(error instanceof ApiProblem)) return false;
  // Rejected because another key pair is pinned; only a person can change that.
  const isStranger = error.status === 403 && error.details.reason === 'identity';
  return error.status === 404 || error.status === 422 || isStranger;
}
