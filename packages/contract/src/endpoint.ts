import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import type { Permission } from './permissions.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * One row of the contract. Routes, OpenAPI, the client, the CLI's help and the permission list are made from these rows;
 * what is not a row does not exist.
 */
export interface Endpoint<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> {
  readonly method: Method;
  /** Below the base address, with {placeholders} as in OpenAPI. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** 'public' needs no key; 'session' is any signed-in principal about itself. */
  readonly permission: Permission | 'public' | 'session';
  /** A server key may call it, for its own server only. */
  readonly daemon?: boolean;
  /** Answers an ETag; where it changes something it takes If-Match and refuses what was read too long ago. */
  readonly tagged?: true;
  /** Takes an Idempotency-Key: the row is written in the transaction that creates. */
  readonly idempotent?: boolean;
  /**
   * Another caller of the account may see less of the record. A repeated DELETE is then answered from its tombstone only for
   * the user or key that deleted it. Implied by the permission 'session'.
   */
  readonly personal?: true;
  /** Read far more often than it changes: answered with prepared bytes, an ETag and leave to cache for a minute. */
  readonly hot?: true;
  /** What it answers with, where that is no JSON: a public file with an ETag, whose text is the whole answer. */
  readonly media?: string;
  /** Answers the bytes of a file instead of JSON, whole or in part, with an ETag. */
  readonly file?: true;
  /**
   * Asked with `Accept: text/event-stream`, it answers as it goes: events `delta`, and at the end `done` with the usual
   * answer, or `error` with the usual error.
   */
  readonly stream?: true;
  /** Bytes of the largest body it takes. */
  readonly bodyLimit: number;
  /** JSON values of the largest body it takes: what a body costs depends on these more than on its bytes. */
  readonly bodyValues: number;
  /** The body may be left out; it is then read as an empty object. So for every body whose fields are all optional. */
  readonly bodyOptional: boolean;
  /** Where the row changes a record: how that is read, so that it can be sent back as it was read. */
  readonly record?: SentBack;
  /** Errors beyond those that follow from the rest of the row. */
  readonly errors?: readonly ErrorCode[];
  /** The status of success: 200 unless something is created (201) or only accepted (202). */
  readonly status: 200 | 201 | 202;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The whole answer, envelope included. */
  readonly response: Response;
}

export interface SentBack {
  /** The name of the row that reads the record, with the same path. */
  readonly read: string;
  /** Fields that change by themselves, so that an older value is no wish to change them. `updated_at` always counts. */
  readonly observed?: readonly string[];
}

/** Bytes of a body unless its row says otherwise. */
const BODY_LIMIT = 1024 * 1024;
/** The same where no key is asked for: logins, invitations and new passwords are short. */
const PUBLIC_BODY_LIMIT = 8 * 1024;
/** Bytes of reports that carry logs or output. */
export const LOG_BODY_LIMIT = 8 * 1024 * 1024;
/** JSON values of a body unless its row says otherwise. */
export const BODY_VALUES = 20_000;
/** The same for reports that carry a log: 10,000 lines of five values each. */
export const LOG_BODY_VALUES = 60_000;

const nothing = Type.Object({});
/** The body schema of an endpoint that reads none. */
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

export type ParamsOf<E> = E extends Endpoint<infer P, TObject, TSchema, TSchema> ? Static<P> : never;
export type QueryOf<E> = E extends Endpoint<TObject, infer Q, TSchema, TSchema> ? Static<Q> : never;
export type BodyOf<E> = E extends Endpoint<TObject, TObject, infer B, TSchema> ? Static<B> : never;
export type ResponseOf<E> = E extends Endpoint<TObject, TObject, TSchema, infer R> ? Static<R> : never;
