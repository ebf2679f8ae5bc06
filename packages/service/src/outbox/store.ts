import { sql } from 'kysely';
import { forUpdate } from '../storage/locking.ts';
import { statement } from '../storage/statement.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { Row } from '../storage/tables.ts';

/** Without its data, which hardly any subscriber looks at; `dataOf` has it. */
export type SequencedEvent = Omit<Row<'events'>, 'data'> & { readonly seq: number };

/** Kept apart from the events, so that the numbers go on when retention has removed the last of them. */
const LAST_SEQ = 'events.last_seq';

/** The number of the last event that the subscribers have been told of. */
export const lastTold = sql<number>`coalesce((select cast(value as bigint) from settings where name = ${LAST_SEQ}), 0)`;

/** Events that nobody has been told of: without a number on PostgreSQL, with one past the last told on SQLite. */
const untold = statement<object, { position: number }>((db, _, engine) => {
  const first = db.selectFrom('events').select('position').orderBy('position').limit(1);
  if (engine === 'postgres') return first.where('seq', 'is', null);
  return first.where('position', '>', lastTold);
});

export const hasUntold = async (queries: Queries): Promise<boolean> => (await untold(queries, {})).length > 0;

const holdLastSeq = statement<object, { value: string }>((db, _, engine) =>
  forUpdate({ engine }, db.selectFrom('settings').select('value').where('name', '=', LAST_SEQ)),
);

/**
 * The last number given. The row is held until the transaction ends: that makes one sequencer at a time of all replicas,
 * and whoever waited for it reads, with his next statement, everything the one before him has numbered.
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

const numberWaiting = statement<{ last: number; most: number }, Omit<Row<'events'>, 'data'>>((db, p) =>
  db
    .updateTable('events')
    .from((from) =>
      from
        .selectFrom('events')
        .select(['position', sql<number>`row_number() over (order by position)`.as('place')])
        .where('seq', 'is', null)
        .orderBy('position')
        .limit(p.most)
        .as('waiting'),
    )
    .set((set) => ({ seq: set('waiting.place', '+', p.last) }))
    .whereRef('events.position', '=', 'waiting.position')
    .returning(columns),
);

const numberedAfter = statement<{ last: number; most: number }, Omit<Row<'events'>, 'data'>>((db, p) =>
  db.selectFrom('events').select(columns).where('position', '>', p.last).orderBy('position').limit(p.most),
);

/** The oldest events that nobody has been told of, in the order of their numbers, which they have at the latest now. */
export async function takeUntold(tx: Tx, last: number, most: number): Promise<SequencedEvent[]> {
  const take = tx.engine === 'sqlite' ? numberedAfter : numberWaiting;
  const events = (await take(tx, { last, most })) as SequencedEvent[];
  return events.sort((a, b) => a.seq - b.seq);
}

/** What these events tell besides. */
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
