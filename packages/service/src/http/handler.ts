import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '@hortus/contract/endpoint';
import type { EndpointName, Endpoints, LiveName } from '@hortus/contract/endpoints';
import type { FileBytes } from '@hortus/contract/envelope';
import type { Principal } from '../identity/principal.ts';
import type { Tx } from '../storage/storage.ts';
import type { Tags } from './entity-tags.ts';
import type { LiveStream } from './live-stream.ts';
import type { ServedFile } from './served-file.ts';

/** Argument of a handler: the request, checked against its row of the contract. */
export interface Call<Name extends EndpointName> {
  readonly principal: Principal;
  readonly params: ParamsOf<Endpoints[Name]>;
  readonly query: QueryOf<Endpoints[Name]>;
  readonly body: BodyOf<Endpoints[Name]>;
  /** The caller's address, as reported by trusted proxies. */
  readonly address: string;
  /** Whether the answer cannot be read in transit: the request came over TLS, or from this machine. */
  readonly secure: boolean;
  /** User-Agent of the caller; not verified, and cut to 256 characters. */
  readonly userAgent: string | undefined;
  /** Value of the session cookie, as sent; only used by rows about the session itself. */
  readonly sessionToken: string | undefined;
  /** Sets the session cookie of the answer (see `identity/session-cookie.ts`), or clears it with null. */
  setSession(token: string | null, expiresAt?: number): void;
  /** Sets the ETag of the answer. With If-Match, throws unless it matches the state. */
  readonly tags: Tags;
  /** Last-Event-ID of the request, to resume a stream after that event. As sent, at most 255 characters. */
  readonly lastEventId: string | undefined;
  /** Sends an event to a caller that requested a stream; otherwise does nothing. Only for rows with `stream`. */
  emit(event: string, data: object): void;
  /** Returns a signal that fires if the caller disconnects before the answer. */
  gone(): AbortSignal;
  /**
   * Runs one transaction and returns its answer. For rows that accept an Idempotency-Key the answer is stored in the
   * same transaction, so that a repeated request gets it again and creates nothing.
   */
  write(work: (tx: Tx) => Promise<ResponseOf<Endpoints[Name]>>): Promise<ResponseOf<Endpoints[Name]>>;
}

type HandlerResult<Name extends EndpointName> =
  ResponseOf<Endpoints[Name]> extends FileBytes ? ServedFile : ResponseOf<Endpoints[Name]>;

type Handler<Name extends EndpointName> = (call: Call<Name>) => Promise<HandlerResult<Name>>;

/** Exported by a resource's `routes.ts`: a handler for each of its rows, by the row's name. */
export type Handlers<Names extends EndpointName> = { readonly [Name in Names]: Handler<Name> };

/** Writes the events of a stream until its signal fires. */
export type Follow = (stream: LiveStream) => Promise<void>;

/**
 * Exported by a resource's `routes.ts` for its rows with `live`, beside the handler that answers with JSON. Checks the
 * request, and throws as every handler does; the stream begins only after that.
 */
export type LiveHandlers<Names extends LiveName> = {
  readonly [Name in Names]: (call: Call<Name>) => Promise<Follow>;
};
