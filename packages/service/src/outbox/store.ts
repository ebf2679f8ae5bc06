import { sql } from 'kysely';
import { countUpTo } from '../storage/count-up-to.ts';
import { forUpdate } from '../storage/locking.ts';
import { statement } from '../storage/statement.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { Row } from '../storage/tables.ts';

/** Without its data, which few subscribers need; use `dataOf`. */
export type SequencedEvent = Omit<Row<'events'>, 'data'> & { readonly seq: number };

/** Stored separately from the events, so that numbers continue when retention has removed the last event. */
const LAST_SEQ = 'events.last_seq';

/** The number of the last dispatched event. */
export const lastReported = sql<number>`coalesce((select cast(value as bigint) from settings where name = ${LAST_SEQ}), 0)`;

/**
 * Selects undispatched events: without a number on PostgreSQL, with a number beyond the last dispatched one on SQLite.
 */
const untold = statement<object, { position: number }>((db, _, engine) => {
  const first = db.selectFrom('events').select('position').orderBy('position').limit(1);
  if (engine === 'postgres') return first.where('seq', 'is', null);
  return first.where('position', '>', lastReported);
});

export const hasUntold = async (queries: Queries): Promise<boolean> => (await untold(queries, {})).length > 0;

/** Counts undispatched events, up to a limit, and returns the time of the oldest one. */
export async function countUntold(
  queries: Queries,
  atMost: number,
): Promise<{ readonly events: number; readonly oldestAt: number | undefined }> {
  const waiting = queries.db.selectFrom('events');
  const found =
    queries.engine === 'postgres' ? waiting.where('seq', 'is', null) : waiting.where('position', '>', lastReported);
  const [oldest] = await found.select('created_at').orderBy('position').limit(1).execute();
  const events = oldest ? await countUpTo(queries, found.select('position'), atMost) : 0;
  return { events, oldestAt: oldest?.created_at };
}

const readLastSeq = statement<object, { value: string }>((db) =>
  db.selectFrom('settings').select('value').where('name', '=', LAST_SEQ),
);

/** Returns the number of the last dispatched event; 0 before the first. */
export const lastSeq = async (queries: Queries): Promise<number> =>
  Number((await readLastSeq(queries, {}))[0]?.value ?? 0);

const holdLastSeq = statement<object, { value: string }>((db, _, engine) =>
  forUpdate({ engine }, db.selectFrom('settings').select('value').where('name', '=', LAST_SEQ)),
);

/**
 * Locks and returns the last number. The lock allows one dispatcher at a time across replicas; a waiting one then sees
 * everything that the previous one has numbered.
 */
export async function lockLastSeq(tx: Tx): Promise<number> {
  const [row] = await holdLastSeq(tx, {});
  if (row) return Number(row.value);
  await tx.db
    .insertInto('settings')
    .values({ name: LAST_SEQ, value: '0' })
    .onConflict((clash) => clash.doNothing())
    .execute();
  return await lockLastSeq(tx);
}

const setLastSeq = statement<{ value: string }>((db, p) =>
  db.updateTable('settings').set({ value: p.value }).where('name', '=', LAST_SEQ),
);

export const saveLastSeq = async (tx: Tx, seq: number): Promise<void> =>
  void (await setLastSeq(tx, { value: String(seq) }));

const columns = [
  'events.position',
  'events.seq',
  'events.id',
  'events.account_id',
  'events.type',
  'events.resource_type',
  'events.resource_id',
  'events.actor',
  'events.created_at',
] as const;

const numberWaiting = statement<{ last: number; max: number }, Omit<Row<'events'>, 'data'>>((db, p) =>
  db
    .updateTable('events')
    .from((from) =>
      from
        .selectFrom('events')
        .select(['position', sql<number>`row_number() over (order by position)`.as('place')])
        .where('seq', 'is', null)
        .orderBy('position')
        .limit(p.max)
        .as('waiting'),
    )
    .set((set) => ({ seq: set('waiting.place', '+', p.last) }))
    .whereRef('events.position', '=', 'waiting.position')
    .returning(columns),
);

const numberedAfter = statement<{ last: number; max: number }, Omit<Row<'events'>, 'data'>>((db, p) =>
  db.selectFrom('events').select(columns).where('position', '>', p.last).orderBy('position').limit(p.max),
);

/** Returns the oldest undispatched events, ordered by number, and numbers them if necessary. */
export async function takeUntold(tx: Tx, last: number, max: number): Promise<SequencedEvent[]> {
  const take = tx.engine === 'sqlite' ? numberedAfter : numberWaiting;
  const events = (await take(tx, { last, max })) as SequencedEvent[];
  return events.sort((a, b) => a.seq - b.seq);
}

/** Returns the data of these events. */
export const dataOf = (tx: Tx, events: readonly SequencedEvent[]) =>
  tx.db
    .selectFrom('events')
    .select(['resource_id', 'data'])
    .where(
      'position',
      'in',
      events.map(({ position }) => position),
    )
    .execute();
