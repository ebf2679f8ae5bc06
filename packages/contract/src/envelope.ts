import Type, { type TProperties, type TSchema } from 'typebox';
import { type ErrorCode, errorTable } from './errors.ts';
import { choice } from './records/fields.ts';

/** Every answer has `success`, because clients check it. */
export const envelope = <Data extends TSchema>(data: Data) => Type.Object({ success: Type.Literal(true), data });

/** Answer with secrets, for rows that accept an Idempotency-Key; see `shownOnce`. */
export const envelopeOnce = <Data extends TSchema>(data: Data) =>
  Type.Object({
    success: Type.Literal(true),
    data,
    hint: Type.Optional(
      Type.String({ description: 'How to get a new secret, if the secrets of this answer are null.' }),
    ),
  });

/** For the endpoints whose published answer has its fields at the top level. */
export const topLevel = <Fields extends TProperties>(fields: Fields) =>
  Type.Object({ success: Type.Literal(true), ...fields });

declare const bytes: unique symbol;
/** Type of the bytes of a file; it never occurs in JSON. */
export interface FileBytes {
  readonly [bytes]: true;
}

/** The answer of an endpoint with `file`. */
export const fileBytes = Type.Unsafe<FileBytes>({ type: 'string', contentMediaType: 'application/octet-stream' });

const Pagination = Type.Object(
  {
    page: Type.Integer({ minimum: 1 }),
    per_page: Type.Integer({ minimum: 1, maximum: 100 }),
    total: Type.Integer({ description: 'Exact up to 10,000; above that it may be up to 10 seconds old.' }),
    total_pages: Type.Integer(),
  },
  { title: 'Pagination' },
);

export const list = <Item extends TSchema>(item: Item) =>
  Type.Object({ success: Type.Literal(true), data: Type.Array(item), pagination: Pagination });

const pageDefaults = { page: 1, per_page: 20, max_per_page: 100 } as const;

/** The query fields of every list. */
export const paging = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: pageDefaults.page,
      description: 'Number of the page, from 1.',
    }),
  ),
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: pageDefaults.max_per_page,
      default: pageDefaults.per_page,
      description: 'Records per page.',
    }),
  ),
};

export const ErrorBody = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.Object({
      code: choice(Object.keys(errorTable) as ErrorCode[]),
      message: Type.String({ description: 'For people; names the field if the error concerns one.' }),
      details: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'For programs: reason, field and further facts; request_id in a SERVER_ERROR.',
        }),
      ),
    }),
  },
  { title: 'ErrorBody' },
);

/** Times on the wire are ISO 8601 in UTC. */
export const Timestamp = Type.String({ format: 'date-time' });
