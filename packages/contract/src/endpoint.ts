import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import type { Permission } from './permissions.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * One row of the contract. Routes, OpenAPI, the client, the CLI's help and the permission list are derived from these
 * rows.
 */
export interface Endpoint<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> {
  readonly method: Method;
  /** Relative to the base address, with {placeholders} as in OpenAPI. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** 'public' needs no key; 'session' allows any signed-in principal and concerns only that principal. */
  readonly permission: Permission | 'public' | 'session';
  /** Whether a server key may call it, for its own server only. */
  readonly daemon?: boolean;
  /** Whether a member of a cluster may call it while another one leads, because it only describes the member itself. */
  readonly withoutLead?: true;
  /** Answers with an ETag; a row that changes something accepts If-Match and refuses stale values. */
  readonly tagged?: true;
  /** Accepts an Idempotency-Key, which is stored in the transaction that creates the record. */
  readonly idempotent?: boolean;
  /**
   * Another caller of the account may see less of the record. A repeated DELETE is then answered from its tombstone only for
   * the user or key that deleted it. Implied by the permission 'session'.
   */
  readonly personal?: true;
  /**
   * Read far more often than changed: answered from prepared bytes with an ETag, and cacheable for a minute. Compressed where the client
   * asks and every caller gets the same, so its answer has no secrets and repeats no parameter of the request.
   */
  readonly hot?: true;
  /** Media type of an answer that is not JSON: a public file with an ETag, sent as text. */
  readonly media?: string;
  /** Answers with the bytes of a file instead of JSON; supports ranges and an ETag. */
  readonly file?: true;
  /**
   * Streams its answer on `Accept: text/event-stream`: events `delta`, then `done` with the usual answer or `error`
   * with the usual error.
   */
  readonly stream?: true;
  /** Set by `live`: also answers as a stream of server-sent events. */
  readonly live?: LiveEvents;
  /** Maximum size of the body in bytes. */
  readonly bodyLimit: number;
  /** Maximum number of JSON values in the body; they cost more than its bytes. */
  readonly bodyValues: number;
  /** Whether the body may be omitted, which means an empty object. True for every body with only optional fields. */
  readonly bodyOptional: boolean;
  /** For rows that change a record: the row that reads it, so that clients can send back a record as they read it. */
  readonly record?: SentBack;
  /** Errors in addition to those derived from the rest of the row. */
  readonly errors?: readonly ErrorCode[];
  /** Status of success: 200, 201 (created) or 202 (accepted). */
  readonly status: 200 | 201 | 202;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The whole answer, including its envelope. */
  readonly response: Response;
}

/** Events of a live stream; docs/decisions/streams.md has the rules of all such streams. */
export interface LiveEvents {
  /** Names of the events and their meaning. `error`, which every stream has, is not among them. */
  readonly events: Readonly<Record<string, string>>;
  /** Meaning of the ids of events, which a client sends back as Last-Event-ID to resume. */
  readonly ids: string;
}

interface SentBack {
  /** Name of the row that reads the record; it has the same path. */
  readonly read: string;
  /**
   * Fields that change without a request: an older value is not a request to change them. `updated_at` is always
   * included.
   */
  readonly observed?: readonly string[];
}

/** Default for the bytes of a body. */
const BODY_LIMIT = 1024 * 1024;
/** Default for public rows: logins, invitations and new passwords are short. */
const PUBLIC_BODY_LIMIT = 8 * 1024;
/** Bytes of reports that carry logs or output. */
export const LOG_BODY_LIMIT = 8 * 1024 * 1024;
/** Default for the JSON values of a body. */
const BODY_VALUES = 20_000;
/** JSON values of reports that carry a log: 10,000 lines of five values each. */
export const LOG_BODY_VALUES = 60_000;

const nothing = Type.Object({});
/** The body schema of an endpoint without a body. */
export const noBody = Type.Undefined();

type Row<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema> = Omit<
  Endpoint<P, Q, B, R>,
  'status' | 'params' | 'query' | 'body' | 'bodyOptional' | 'bodyLimit' | 'bodyValues'
> & { status?: 200 | 201 | 202; params?: P; query?: Q; body?: B; bodyLimit?: number; bodyValues?: number };

export function endpoint<
  P extends TObject = typeof nothing,
  Q extends TObject = typeof nothing,
  B extends TSchema = typeof noBody,
  R extends TSchema = TSchema,
>(row: Row<P, Q, B, R>): Endpoint<P, Q, B, R> {
  const { type, required = [] } = (row.body ?? {}) as { type?: string; required?: readonly string[] };
  return {
    ...row,
    bodyOptional: type === 'object' && required.length === 0,
    status: row.status ?? 200,
    params: row.params ?? (nothing as unknown as P),
    query: row.query ?? (nothing as unknown as Q),
    body: row.body ?? (noBody as unknown as B),
    bodyLimit: row.bodyLimit ?? (row.permission === 'public' ? PUBLIC_BODY_LIMIT : BODY_LIMIT),
    bodyValues: row.bodyValues ?? BODY_VALUES,
  };
}

/** Adds a stream to a row: on `Accept: text/event-stream` it answers with events as they happen. */
export const live = <Row>(row: Row, events: LiveEvents): Row & { readonly live: LiveEvents } => ({
  ...row,
  live: events,
});

export type ParamsOf<E> = E extends Endpoint<infer P, TObject, TSchema, TSchema> ? Static<P> : never;
export type QueryOf<E> = E extends Endpoint<TObject, infer Q, TSchema, TSchema> ? Static<Q> : never;
export type BodyOf<E> = E extends Endpoint<TObject, TObject, infer B, TSchema> ? Static<B> : never;
export type ResponseOf<E> = E extends Endpoint<TObject, TObject, TSchema, infer R> ? Static<R> : never;
