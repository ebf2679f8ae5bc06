import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '@hortus/contract/endpoint';
import type { EndpointName, Endpoints, endpoints, LiveName } from '@hortus/contract/endpoints';
import type { FileBytes } from '@hortus/contract/envelope';
import { knownEndpoint } from './known-endpoint.ts';
import { withPageToken } from './page-token.ts';
import { ApiProblem } from './problem.ts';
import { addressOf, type Parts, requestOf } from './request.ts';
import { readResponse } from './response.ts';
import { defaultRetries, type RetryPolicy, withRetries } from './retry.ts';
import { type StreamEvent, type StreamParts, streamOf } from './stream.ts';
import { within } from './time-limit.ts';

export interface ClientOptions {
  /** With the version segment: https://hortus.example.org/api/v1 */
  readonly baseUrl: string;
  /** Omitted on pages of the service, where the session of the signed-in user authenticates. */
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** `{ attempts: 1 }` never retries. */
  readonly retries?: Partial<RetryPolicy> | undefined;
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined;
  /** How long a stream may be silent, without even a heartbeat, before the client reconnects. */
  readonly silentMs?: number | undefined;
}

type Named<Field extends string, Value> = Value extends undefined
  ? { [F in Field]?: undefined }
  : Record<string, never> extends Value
    ? { [F in Field]?: Value }
    : { [F in Field]: Value };

/** Arguments of a call. A part is required exactly when the contract requires a field in it. */
export type CallOf<E> = Named<'params', PathOf<ParamsOf<E>>> &
  Named<'query', QueryOf<E>> &
  Named<'body', BodyOf<E>> & { idempotencyKey?: string; ifMatch?: string; signal?: AbortSignal };

/** Accepts numbers in paths, such as revision numbers. */
type PathOf<Params> = { [Name in keyof Params]: string | number };

/**
 * Arguments by endpoint. An interface, so that the compiler looks up one member: with `CallOf<Endpoints[Name]>`, and also with a
 * mapped type, it compares every call with the arguments of all endpoints, which multiplies the time of the type check.
 */
export interface Calls extends CallTable {}
type CallTable = { [Name in EndpointName]: CallOf<Endpoints[Name]> };

/** Responses by endpoint; an interface for the same reason, as are the following. */
export interface Responses extends ResponseTable {}
type ResponseTable = { [Name in EndpointName]: ResponseOf<Endpoints[Name]> };

interface Rests extends RestTable {}
type RestTable = { [Name in EndpointName]: Rest<Calls[Name], Calls[Name]> };

interface StreamRests extends StreamRestTable {}
type StreamRestTable = { [Name in LiveName]: Rest<Calls[Name], StreamCall<Name>> };

/** May be omitted if the contract requires no field in the call. */
type Rest<Required, Call> = Record<string, never> extends Required ? [call?: Call] : [call: Call];

/** Names of the endpoints that return pages. */
export type ListName = {
  [Name in EndpointName]: ResponseOf<Endpoints[Name]> extends { pagination: unknown } ? Name : never;
}[EndpointName];

/** Names of the endpoints that return a file. */
export type FileName = {
  [Name in EndpointName]: ResponseOf<Endpoints[Name]> extends FileBytes ? Name : never;
}[EndpointName];

type ItemOf<E> = ResponseOf<E> extends { data: (infer Item)[] } ? Item : never;

export interface Client {
  call<Name extends Exclude<EndpointName, FileName>>(name: Name, ...rest: Rests[Name]): Promise<Responses[Name]>;
  /** Returns the response of a file endpoint for streaming. Throws error responses as ApiProblem; never retries. */
  download<Name extends FileName>(name: Name, call: Calls[Name] & { range?: string }): Promise<Response>;
  /** Iterates over every item of a list; fetches pages on demand. */
  pages<Name extends ListName>(name: Name, ...rest: Rests[Name]): AsyncGenerator<ItemOf<Endpoints[Name]>>;
  /** Iterates over the events of a stream; reconnects and resumes by itself (see stream.ts). */
  stream<Name extends LiveName>(name: Name, ...rest: StreamRests[Name]): AsyncGenerator<StreamEvent>;
}

export type StreamCall<Name extends LiveName> = Calls[Name] & Pick<StreamParts, 'lastEventId' | 'attempts' | 'onOpen'>;

const TIMEOUT_MS = 30_000;

type Untyped = Parts & { readonly signal?: AbortSignal | undefined };

export function createClient(options: ClientOptions): Client {
  const send = withPageToken(options.fetch ?? globalThis.fetch.bind(globalThis), options);
  const policy = { ...defaultRetries, ...options.retries };

  async function call(name: EndpointName, parts: Untyped = {}): Promise<unknown> {
    const row = knownEndpoint(name);
    const address = addressOf(options.baseUrl, row, parts);
    // Built once, so every attempt carries the same idempotency key; a new key per attempt could create duplicates.
    const request = requestOf(row, parts, options.key);
    const attempt = async () => {
      const limit = new AbortController();
      const signal = parts.signal ? AbortSignal.any([parts.signal, limit.signal]) : limit.signal;
      const ask = async () => readResponse(await send(address, { ...request, signal }), row.media);
      try {
        return await within(options.timeoutMs ?? TIMEOUT_MS, limit, ask);
      } catch (error) {
        if (error instanceof ApiProblem || parts.signal?.aborted) throw error;
        const message = `${row.method} ${row.path} failed: no response`;
        throw new ApiProblem({ code: 'NETWORK', status: 0, message, cause: error });
      }
    };
    return row.method === 'GET' || row.idempotent ? withRetries(attempt, policy, parts.signal) : attempt();
  }

  async function download(name: EndpointName, parts: Untyped & { readonly range?: string } = {}): Promise<Response> {
    const row = knownEndpoint(name);
    const request = requestOf(row, parts, options.key);
    const headers = { ...request.headers, ...(parts.range && { range: parts.range }) };
    const signal = parts.signal ?? null;
    const response = await send(addressOf(options.baseUrl, row, parts), { ...request, headers, signal });
    if (!response.ok) await readResponse(response);
    return response;
  }

  async function* pages(name: EndpointName, parts: Untyped = {}): AsyncGenerator<unknown> {
    for (let page = Number(parts.query?.page ?? 1); ; page++) {
      const response = (await call(name, { ...parts, query: { per_page: 100, ...parts.query, page } })) as {
        data: unknown[];
        pagination: { total_pages: number };
      };
      yield* response.data;
      // Stop at an empty page too: the list may have shrunk in the meantime.
      if (response.data.length === 0 || page >= response.pagination.total_pages) return;
    }
  }

  const stream = (name: LiveName, parts: StreamParts = {}) =>
    streamOf(
      {
        baseUrl: options.baseUrl,
        key: options.key,
        fetch: send,
        policy,
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
        silentMs: options.silentMs,
      },
      knownEndpoint(name) as (typeof endpoints)[LiveName],
      parts,
    );

  return { call, download, pages, stream } as Client;
}
