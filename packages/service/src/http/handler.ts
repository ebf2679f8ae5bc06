import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '@hortus/contract/endpoint';
import type { EndpointName, Endpoints } from '@hortus/contract/endpoints';
import type { FileBytes } from '@hortus/contract/envelope';
import type { Principal } from '../identity/principal.ts';
import type { Tx } from '../storage/storage.ts';
import type { Tags } from './entity-tags.ts';
import type { ServedFile } from './served-file.ts';

/** What a handler is called with: the request, checked against its row of the contract. */
export interface Call<Name extends EndpointName> {
  readonly principal: Principal;
  readonly params: ParamsOf<Endpoints[Name]>;
  readonly query: QueryOf<Endpoints[Name]>;
  readonly body: BodyOf<Endpoints[Name]>;
  /** The caller's address, as far as trusted proxies tell. */
  readonly address: string;
  /** Whether what is answered cannot be read on its way: it goes over TLS, or does not leave this machine. */
  readonly secure: boolean;
  /** As the caller names its program; not verified, and cut to 256 characters. */
  readonly userAgent: string | undefined;
  /** The value of the session cookie, as sent; only rows about the session itself look at it. */
  readonly sessionToken: string | undefined;
  /** Has the answer set the session cookie (see `identity/session-cookie.ts`), or clear it with null. */
  setSession(token: string | null, expiresAt?: number): void;
  /** Names the state that the answer shows. With If-Match, throws unless the caller has read the state of this tag. */
  readonly tags: Tags;
  /** Tells a caller who reads along; for one who does not, it does nothing. Only rows with `stream` are read along. */
  emit(event: string, data: object): void;
  /** Fires when the caller has gone away before the answer. */
  gone(): AbortSignal;
  /**
   * One transaction, and its answer. For rows that take an Idempotency-Key the answer is kept in the same transaction,
   * so a repeated request gets it again and creates nothing.
   */
  write(work: (tx: Tx) => Promise<ResponseOf<Endpoints[Name]>>): Promise<ResponseOf<Endpoints[Name]>>;
}

type AnswerOf<Name extends EndpointName> =
  ResponseOf<Endpoints[Name]> extends FileBytes ? ServedFile : ResponseOf<Endpoints[Name]>;

export type Handler<Name extends EndpointName> = (call: Call<Name>) => Promise<AnswerOf<Name>>;

/** What a resource's `routes.ts` exports: a handler for each of its rows, by the row's name. */
export type Handlers<Names extends EndpointName> = { readonly [Name in Names]: Handler<Name> };
