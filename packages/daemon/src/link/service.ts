import { type Client, createClient } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import { epochHeader } from '@hortus/contract/channel/channel';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import { isTracing, traceParent } from '@hortus/tracing/span';

/** REST client with the current key. Does not retry; callers decide that. */
export class Service {
  readonly baseUrl: string;
  readonly #epoch: () => number | undefined;
  #key: string;
  #client: Client;

  /** `epoch` is that of the leadership of a cluster: the service refuses requests of an older one. */
  constructor(baseUrl: string, key: string, epoch: () => number | undefined = () => undefined) {
    this.#epoch = epoch;
    this.baseUrl = withoutTrailing(baseUrl, '/');
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
    const send: typeof fetch = (address, request) => fetch(address, this.#marked(request));
    return createClient({ baseUrl: this.baseUrl, key, retries: { attempts: 1 }, timeoutMs: 20_000, fetch: send });
  }

  /** Tells the service which span a request belongs to, and which epoch. */
  #marked(request: RequestInit | undefined): RequestInit | undefined {
    const span = isTracing() ? traceParent() : undefined;
    const epoch = this.#epoch();
    if (span === undefined && epoch === undefined) return request;
    const headers = new Headers(request?.headers);
    if (span !== undefined) headers.set('traceparent', span);
    if (epoch !== undefined) headers.set(epochHeader, String(epoch));
    return { ...request, headers };
  }
}

/** Answers whether another member of the cluster leads. Then the service has ended the executions that this one was sent. */
export const isDeposed = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 403 && error.details.reason === 'not_leader';

/** Answers whether the service rejected a request for good, so that a retry is useless. */
export function isRefusal(error: unknown): error is ApiProblem {
  if (!(error instanceof ApiProblem)) return false;
  // Rejected because another key pair is pinned; only a person can change that.
  const isUnknownIdentity = error.status === 403 && error.details.reason === 'identity';
  return error.status === 404 || error.status === 422 || isUnknownIdentity;
}
