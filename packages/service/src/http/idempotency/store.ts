import { statement } from '../../storage/statement.ts';
import type { Row } from '../../storage/tables.ts';

/** The scope of an Idempotency-Key. */
export interface Place {
  readonly account_id: string;
  readonly credential: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
}

export type Kept = Pick<Row<'idempotency'>, 'body_hmac' | 'status' | 'response' | 'secrets' | 'created_at'>;

/** Returns a row if the key was free. If another transaction is inserting it, waits for the end of that one. */
export const takePlace = statement<Place & { body_hmac: string; status: number; created_at: number }, { key: string }>(
  (db, p) =>
    db
      .insertInto('idempotency')
      .values({
        account_id: p.account_id,
        credential: p.credential,
        method: p.method,
        path: p.path,
        key: p.key,
        body_hmac: p.body_hmac,
        status: p.status,
        response: '',
        secrets: null,
        created_at: p.created_at,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key'),
);

export const findKept = statement<Place, Kept>((db, p) =>
  db
    .selectFrom('idempotency')
    .select(['body_hmac', 'status', 'response', 'secrets', 'created_at'])
    .where('account_id', '=', p.account_id)
    .where('credential', '=', p.credential)
    .where('method', '=', p.method)
    .where('path', '=', p.path)
    .where('key', '=', p.key),
);

export const keepResponse = statement<Place & { response: string; secrets: string | null }>((db, p) =>
  db
    .updateTable('idempotency')
    .set({ response: p.response, secrets: p.secrets })
    .where('account_id', '=', p.account_id)
    .where('credential', '=', p.credential)
    .where('method', '=', p.method)
    .where('path', '=', p.path)
    .where('key', '=', p.key),
);

export const deleteKept = statement<Place & { created_at: number }>((db, p) =>
  db
    .deleteFrom('idempotency')
    .where('account_id', '=', p.account_id)
    .where('credential', '=', p.credential)
    .where('method', '=', p.method)
    .where('path', '=', p.path)
    .where('key', '=', p.key)
    .where('created_at', '=', p.created_at),
);
