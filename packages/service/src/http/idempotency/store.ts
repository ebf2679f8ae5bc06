import { statement } from '../../storage/statement.ts';
import type { Row } from '../../storage/tables.ts';

/** What a kept answer is found by. */
export interface Place {
  readonly account_id: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
}

type Kept = Pick<Row<'idempotency'>, 'body_hmac' | 'status' | 'response' | 'created_at'>;

/** Answers a row if the place was free. If another transaction is taking it, waits for the end of that one. */
export const takePlace = statement<Place & { body_hmac: string; status: number; created_at: number }, { key: string }>(
  (db, p) =>
    db
      .insertInto('idempotency')
      .values({
        account_id: p.account_id,
        method: p.method,
        path: p.path,
        key: p.key,
        body_hmac: p.body_hmac,
        status: p.status,
        response: '',
        created_at: p.created_at,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key'),
);

export const findKept = statement<Place, Kept>((db, p) =>
  db
    .selectFrom('idempotency')
    .select(['body_hmac', 'status', 'response', 'created_at'])
    .where('account_id', '=', p.account_id)
    .where('method', '=', p.method)
    .where('path', '=', p.path)
    .where('key', '=', p.key),
);

export const keepResponse = statement<Place & { response: string }>((db, p) =>
  db
    .updateTable('idempotency')
    .set({ response: p.response })
    .where('account_id', '=', p.account_id)
    .where('method', '=', p.method)
    .where('path', '=', p.path)
    .where('key', '=', p.key),
);

export const deleteKept = statement<Place & { created_at: number }>((db, p) =>
  db
    .deleteFrom('idempotency')
    .where('account_id', '=', p.account_id)
    .where('method', '=', p.method)
    .where('path', '=', p.path)
    .where('key', '=', p.key)
    .where('created_at', '=', p.created_at),
);
