import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Attempt, notYetSent } from '../../outbound/deliveries.ts';
import { findIn, list, listOf, ofAccount } from '../../storage/lists.ts';
import { forUpdate } from '../../storage/locking.ts';
import type { EngineName } from '../../storage/session.ts';
import { type Slots, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../storage/tables.ts';

export type EndpointRow = Row<'webhook_endpoints'>;
export type DeliveryRow = Row<'deliveries'>;
/** A delivery in a list, where the answers of receivers would be too much. */
export type ListedDelivery = Omit<DeliveryRow, 'reply'>;

export const insertEndpoint = async (tx: Tx, row: NewRow<'webhook_endpoints'>): Promise<void> =>
  void (await tx.db.insertInto('webhook_endpoints').values(row).execute());

export const deleteEndpoint = (tx: Tx, accountId: string, id: string): Promise<EndpointRow | undefined> =>
  tx.db
    .deleteFrom('webhook_endpoints')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export const endpointById = (queries: Queries, id: string): Promise<EndpointRow | undefined> =>
  queries.db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirst();

export const endpointOf = findIn('webhook_endpoints');

export const lockEndpoint = (tx: Tx, accountId: string, id: string): Promise<EndpointRow | undefined> =>
  forUpdate(
    tx,
    tx.db.selectFrom('webhook_endpoints').selectAll().where('account_id', '=', accountId).where('id', '=', id),
  ).executeTakeFirst();

export type EndpointChange = Partial<Omit<EndpointRow, 'id' | 'account_id' | 'created_at' | 'updated_at'>>;

export async function updateEndpoint(tx: Tx, row: EndpointRow, change: EndpointChange): Promise<EndpointRow> {
  const columns = { ...change, updated_at: tx.now };
  await tx.db.updateTable('webhook_endpoints').set(columns).where('id', '=', row.id).execute();
  return { ...row, ...columns };
}

/** Written only on a change, so that a healthy endpoint causes no writes. */
export const noteHealth = async (tx: Tx, id: string, well: boolean): Promise<void> =>
  void (await tx.db
    .updateTable('webhook_endpoints')
    .set({ failing_since: well ? null : tx.now })
    .where('id', '=', id)
    .where('failing_since', well ? 'is not' : 'is', null)
    .execute());

const deliveryById = statement<{ endpointId: string; id: string }, DeliveryRow>((db, p) =>
  db.selectFrom('deliveries').selectAll().where('endpoint_id', '=', p.endpointId).where('id', '=', p.id),
);

export const deliveryOf = async (queries: Queries, endpointId: string, id: string): Promise<DeliveryRow | undefined> =>
  (await deliveryById(queries, { endpointId, id }))[0];

/** Resets a delivery; earlier attempts are forgotten. */
export async function resendDelivery(tx: Tx, delivery: DeliveryRow): Promise<DeliveryRow> {
  const columns = { ...notYetSent(tx.now), reply: null };
  await tx.db.updateTable('deliveries').set(columns).where('id', '=', delivery.id).execute();
  return { ...delivery, ...columns };
}

export const eventIsThere = async (queries: Queries, id: string): Promise<boolean> =>
  (await queries.db.selectFrom('events').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;

export const endpointList = listOf('webhook_endpoints', ofAccount);

const activeOf = statement<{ accountIds: string }, Pick<EndpointRow, 'id' | 'account_id' | 'events'>>((db, p, engine) =>
  forUpdate(
    { engine },
    db
      .selectFrom('webhook_endpoints')
      .select(['id', 'account_id', 'events'])
      .where('account_id', 'in', wordsOf(engine, p.accountIds))
      .where('status', '=', 'active')
      .orderBy('id'),
  ),
);

/** Passes all values in one parameter, so that the statement text is always the same. */
const wordsOf = (engine: EngineName, words: string) =>
  engine === 'postgres'
    ? sql<string>`(select json_array_elements_text(${words}::json))`
    : sql<string>`(select value from json_each(${words}))`;

/** Locks the endpoints, so that none is removed while its deliveries are written. */
export const activeEndpointsOf = (tx: Tx, accountIds: readonly string[]) =>
  activeOf(tx, { accountIds: JSON.stringify(accountIds) });

/** SQLite allows about 32,000 values per statement. */
const ROWS_AT_ONCE = 500;

export async function insertDeliveries(tx: Tx, rows: readonly NewRow<'deliveries'>[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await tx.db
      .insertInto('deliveries')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .execute();
  }
}

export interface DeliveryFilter {
  readonly endpointId: string;
  readonly status: DeliveryRow['status'] | undefined;
}

const listed = [
  'id',
  'account_id',
  'endpoint_id',
  'event_id',
  'event_type',
  'seq',
  'status',
  'attempts',
  'response_code',
  'error',
  'duration_ms',
  'next_attempt_at',
  'delivered_at',
  'created_at',
] as const satisfies readonly (keyof ListedDelivery)[];

const matching =
  ({ endpointId, status }: Slots<DeliveryFilter>) =>
  (eb: ExpressionBuilder<Tables, 'deliveries'>): Expression<SqlBool> =>
    eb.and([eb('endpoint_id', '=', endpointId), ...(status === undefined ? [] : [eb('status', '=', status)])]);

export const deliveryList = list<DeliveryFilter, ListedDelivery>('deliveries', {
  page: (db, filter, { limit, offset }) =>
    db
      .selectFrom('deliveries')
      .select(listed)
      .where(matching(filter))
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset),
  all: (db, filter) => db.selectFrom('deliveries').select('id').where(matching(filter)),
});

/** Inlined instead of bound, so that the engines can use the partial index. */
const pending = sql.lit<'pending'>('pending');

export type DueDelivery = Pick<DeliveryRow, 'id' | 'event_id' | 'event_type' | 'attempts' | 'created_at'> &
  Pick<Row<'events'>, 'account_id' | 'data'> & { readonly event_created_at: number };

/** Lists due deliveries of an endpoint with their events, oldest first. */
export const dueDeliveries = statement<{ endpointId: string; now: number; max: number }, DueDelivery>((db, p) =>
  db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .select([
      'deliveries.id',
      'deliveries.event_id',
      'deliveries.event_type',
      'deliveries.attempts',
      'deliveries.created_at',
      'events.account_id',
      'events.data',
      'events.created_at as event_created_at',
    ])
    .where('deliveries.endpoint_id', '=', p.endpointId)
    .where('deliveries.status', '=', pending)
    .where('deliveries.next_attempt_at', '<=', p.now)
    .orderBy('deliveries.next_attempt_at')
    .orderBy('deliveries.id')
    .limit(p.max),
);

const nextAttempt = statement<{ endpointId: string }, { next_attempt_at: number | null }>((db, p) =>
  db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where('endpoint_id', '=', p.endpointId)
    .where('status', '=', pending)
    .orderBy('next_attempt_at')
    .limit(1),
);

/** Time of the next attempt; undefined if nothing is pending. */
export const nextAttemptAt = async (queries: Queries, endpointId: string): Promise<number | undefined> =>
  (await nextAttempt(queries, { endpointId }))[0]?.next_attempt_at ?? undefined;

/** Does nothing if the delivery has already ended: of two concurrent senders the first result counts. */
export const recordAttempt = statement<Attempt & Pick<DeliveryRow, 'reply'>>((db, p) =>
  db
    .updateTable('deliveries')
    .set({
      status: p.status,
      attempts: p.attempts,
      response_code: p.response_code,
      error: p.error,
      duration_ms: p.duration_ms,
      next_attempt_at: p.next_attempt_at,
      delivered_at: p.delivered_at,
      reply: p.reply,
    })
    .where('id', '=', p.id)
    .where('status', '=', 'pending'),
);
