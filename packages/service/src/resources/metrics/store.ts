import { sql } from 'kysely';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow } from '../../storage/tables.ts';
import { MOST_SAMPLES, type Span } from './steps.ts';

export type UsageRow = NewRow<'usage_points'>;

/** Thirteen parameters per row; SQLite allows 32,766 per statement. */
const IN_ONE_STATEMENT = 500;

/** Adds each row to its point, or creates the point. The rows must be of different points. */
export async function addUsage(tx: Tx, rows: readonly UsageRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += IN_ONE_STATEMENT) {
    await tx.db
      .insertInto('usage_points')
      .values(rows.slice(from, from + IN_ONE_STATEMENT))
      .onConflict((clash) =>
        clash
          .columns(['instance_id', 'step', 'at', 'component'])
          .doUpdateSet((eb) => {
            const sum = (
              column: 'samples' | 'cpu_sum' | 'memory_sum' | 'received_sum' | 'sent_sum' | 'read_sum' | 'written_sum',
            ) => eb(`usage_points.${column}`, '+', eb.ref(`excluded.${column}`));
            const larger = (column: 'cpu_max' | 'memory_max') =>
              eb
                .case()
                .when(`usage_points.${column}`, '<', eb.ref(`excluded.${column}`))
                .then(eb.ref(`excluded.${column}`))
                .else(eb.ref(`usage_points.${column}`))
                .end();
            return {
              samples: sum('samples'),
              cpu_sum: sum('cpu_sum'),
              cpu_max: larger('cpu_max'),
              memory_sum: sum('memory_sum'),
              memory_max: larger('memory_max'),
              received_sum: sum('received_sum'),
              sent_sum: sum('sent_sum'),
              read_sum: sum('read_sum'),
              written_sum: sum('written_sum'),
            };
          })
          .where('usage_points.samples', '<', MOST_SAMPLES),
      )
      .execute();
  }
}

/** Lists the components with a point at this time. */
export const componentsAt = (
  queries: Queries,
  instanceIds: readonly string[],
  step: number,
  at: number,
): Promise<{ instance_id: string; component: string }[]> =>
  queries.db
    .selectFrom('usage_points')
    .select(['instance_id', 'component'])
    .where('instance_id', 'in', instanceIds)
    .where('step', '=', step)
    .where('at', '=', at)
    .execute();

/** Sums one row per component and interval, oldest first. */
export const listUsage = (queries: Queries, instanceId: string, { step, width, from, to }: Span) => {
  const begin = sql<number>`(at / ${sql.lit(width)}) * ${sql.lit(width)}`;
  return queries.db
    .selectFrom('usage_points')
    .select('component')
    .select(begin.as('begin'))
    .select(({ fn }) => [
      fn.sum<number>('samples').as('samples'),
      fn.sum<number>('cpu_sum').as('cpu_sum'),
      fn.max<number>('cpu_max').as('cpu_max'),
      fn.sum<number>('memory_sum').as('memory_sum'),
      fn.max<number>('memory_max').as('memory_max'),
      fn.sum<number>('received_sum').as('received_sum'),
      fn.sum<number>('sent_sum').as('sent_sum'),
      fn.sum<number>('read_sum').as('read_sum'),
      fn.sum<number>('written_sum').as('written_sum'),
    ])
    .where('instance_id', '=', instanceId)
    .where('step', '=', step)
    .where('at', '>=', from)
    .where('at', '<=', to)
    .groupBy(['component', begin])
    .orderBy(begin)
    .orderBy('component')
    .execute();
};

export type UsageSum = Awaited<ReturnType<typeof listUsage>>[number];

/** Lists the points of one step since a time, of these instances, oldest first. */
export const pointsSince = async (queries: Queries, instanceIds: readonly string[], step: number, since: number) =>
  instanceIds.length === 0
    ? []
    : await queries.db
        .selectFrom('usage_points')
        .selectAll()
        .where('instance_id', 'in', instanceIds)
        .where('step', '=', step)
        .where('at', '>=', since)
        .orderBy('at')
        .orderBy('component')
        .execute();
