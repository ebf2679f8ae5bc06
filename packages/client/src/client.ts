import type { BodyOf, Endpoint, ParamsOf, QueryOf, ResponseOf } from '@hortus/contract/endpoint';
import { type EndpointName, type Endpoints, endpoints } from '@hortus/contract/endpoints';
import type { FileBytes } from '@hortus/contract/envelope';
import { answerOf } from './answer.ts';
import { ApiProblem } from './problem.ts';
import { addressOf, type Parts, requestOf } from './request.ts';
import { defaultRetries, type RetryPolicy, withRetries } from './retry.ts';

export interface ClientOptions {
  /** Ends with the version segment, as published: https://hortus.example.org/api/v1 */
  readonly baseUrl: string;
  /** Left out in the browser, where the session cookie speaks. */
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** `{ attempts: 1 }` never retries. */
  readonly retries?: Partial<RetryPolicy> | undefined;
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined;
}

type Named<Field extends string, Value> = Value extends undefined
  ? { [F in Field]?: undefined }
  : Record<string, never> extends Value
    ? { [F in Field]?: Value }
    : { [F in Field]: Value };

/** What a call takes: a part is required exactly when the contract requires something in it. */
export type CallOf<E> = Named<'params', PathOf<ParamsOf<E>>> &
  Named<'query', QueryOf<E>> &
  Named<'body', BodyOf<E>> & { idempotencyKey?: string; signal?: AbortSignal };

/** A revision number is a number to its caller, though a path knows only text. */
type PathOf<Params> = { [Name in keyof Params]: string | number };

type Rest<E> = Record<string, never> extends CallOf<E> ? [call?: CallOf<E>] : [call: CallOf<E>];

/** Names of the endpoints that answer page by page. */
export type ListName = {
  [Name in EndpointName]: ResponseOf<Endpoints[Name]> extends { pagination: unknown } ? Name : never;
}[EndpointName];

/** Names of the endpoints that send a file. */
export type FileName = {
  [Name in EndpointName]: ResponseOf<Endpoints[Name]> extends FileBytes ? Name : never;
}[EndpointName];

type ItemOf<E> = ResponseOf<E> extends { data: (infer Item)[] } ? Item : never;

export interface Client {
  call<Name extends Exclude<EndpointName, FileName>>(
    name: Name,
    ...rest: Rest<Endpoints[Name]>
  ): Promise<ResponseOf<Endpoints[Name]>>;
  /** The answer of an endpoint that sends a file, to be read as it arrives. Refusals are thrown; nothing is retried. */
  download<Name extends FileName>(name: Name, call: CallOf<Endpoints[Name]> & { range?: string }): Promise<Response>;
  /** Every item of a list, fetched page by page as they are read. */
  pages<Name extends ListName>(name: Name, ...rest: Rest<Endpoints[Name]>): AsyncGenerator<ItemOf<Endpoints[Name]>>;
}

type Untyped = Parts & { readonly signal?: AbortSignal | undefined };

export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  const policy = { ...defaultRetries, ...options.retries };

  async function call(name: EndpointName, parts: Untyped = {}): Promise<unknown> {
    const row = endpoints[name] as Endpoint;
    const address = addressOf(options.baseUrl, row, parts);
    // Made once: every attempt carries the same idempotency key, or retrying would create twice.
    const request = requestOf(row, parts, options.key);
    const attempt = async () => {
      const limit = AbortSignal.timeout(options.timeoutMs ?? 30_000);
      const signal = parts.signal ? AbortSignal.any([parts.signal, limit]) : limit;
      try {
        return await answerOf(await send(address, { ...request, signal }), row.media);
      } catch (error) {
        if (error instanceof ApiProblem || parts.signal?.aborted) throw error;
        const message = `${row.method} ${row.path} got no answer`;
        throw new ApiProblem({ code: 'NETWORK', status: 0, message, cause: error });
      }
    };
    return row.method === 'GET' || row.idempotent ? withRetries(attempt, policy, parts.signal) : attempt();
  }

  async function download(name: EndpointName, parts: Untyped & { readonly range?: string } = {}): Promise<Response> {
    const row = endpoints[name] as Endpoint;
    const request = requestOf(row, parts, options.key);
    const headers = { ...request.headers, ...(parts.range && { range: parts.range }) };
    const signal = parts.signal ?? null;
    const response = await send(addressOf(options.baseUrl, row, parts), { ...request, headers, signal });
    if (!response.ok) await answerOf(response);
    return response;
  }

  async function* pages(name: EndpointName, parts: Untyped = {}): AsyncGenerator<unknown> {
    for (let page = Number(parts.query?.page ?? 1); ; page++) {
      const answer = (await call(name, { ...parts, query: { per_page: 100, ...parts.query, page } })) as {
        data: unknown[];
        pagination: { total_pages: number };
      };
      yield* answer.data;
      // An empty page ends it too: the list may have shrunk meanwhile.
      if (answer.data.length === 0 || page >= answer.pagination.total_pages) return;
    }
  }

  return { call, download, pages } as Client;
}
