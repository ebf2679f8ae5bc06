import { sql } from 'kysely';
import { shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row } from '../../storage/tables.ts';
import { MAX_SAMPLES, type Span } from './steps.ts';

export type UsageRow = NewRow<'usage_points'>;

/** Sent together, and answered before the next ones are sent. */
const AT_ONCE = 500;

const addPoint = statement<UsageRow>((db, p) =>
  db
    .insertInto('usage_points')
    .values({
      instance_id: p.instance_id,
      component: p.component,
      step: p.step,
      at: p.at,
      samples: p.samples,
      cpu_sum: p.cpu_sum,
      cpu_max: p.cpu_max,
      memory_sum: p.memory_sum,
      memory_max: p.memory_max,
      received_sum: p.received_sum,
      sent_sum: p.sent_sum,
      read_sum: p.read_sum,
      written_sum: p.written_sum,
    })
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
        .where('usage_points.samples', '<', MAX_SAMPLES),
    ),
);

/** Adds each row to its point, or creates the point. The rows must be of different points. */
export async function addUsage(tx: Tx, rows: readonly UsageRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE)
    await Promise.all(rows.slice(from, from + AT_ONCE).map((row) => addPoint(tx, row)));
}

interface AtTime {
  readonly instanceIds: readonly string[];
  readonly step: number;
  readonly at: number;
}

const componentsThen = shapedStatement<AtTime, { instance_id: string; component: string }>((db, p) =>
  db
    .selectFrom('usage_points')
    .select(['instance_id', 'component'])
    .where('instance_id', 'in', p.instanceIds)
    .where('step', '=', p.step)
    .where('at', '=', p.at),
);

/** Lists the components with a point at this time. */
export const componentsAt = (queries: Queries, at: AtTime) => componentsThen(queries, at);

/** Sums one row per component and interval, oldest first. */
export const listUsage = (queries: Queries, instanceId: string, { step, width, from, to }: Span): Promise<UsageSum[]> =>
  summedUsage(queries, { instanceId, step, width, from, to });

export type UsageSum = Pick<Row<'usage_points'>, 'component' | Summed | Highest> & { readonly begin: number };

const summed = [
  'samples',
  'cpu_sum',
  'memory_sum',
  'received_sum',
  'sent_sum',
  'read_sum',
  'written_sum',
] as const satisfies readonly (keyof UsageRow)[];
const highest = ['cpu_max', 'memory_max'] as const satisfies readonly (keyof UsageRow)[];
type Summed = (typeof summed)[number];
type Highest = (typeof highest)[number];

const summedUsage = shapedStatement<Span & { readonly instanceId: string }, UsageSum, 'width'>(
  (db, { instanceId, step, width, from, to }) => {
    const begin = sql<number>`(at / ${sql.lit(width)}) * ${sql.lit(width)}`;
    return db
      .selectFrom('usage_points')
      .select('component')
      .select(begin.as('begin'))
      .select(({ fn }) => summed.map((column) => fn.sum<number>(column).as(column)))
      .select(({ fn }) => highest.map((column) => fn.max<number>(column).as(column)))
      .where('instance_id', '=', instanceId)
      .where('step', '=', step)
      .where('at', '>=', from)
      .where('at', '<=', to)
      .groupBy(['component', begin])
      .orderBy(begin)
      .orderBy('component');
  },
  ['width'],
);

interface Since {
  readonly instanceIds: readonly string[];
  readonly step: number;
  readonly since: number;
}

const since = shapedStatement<Since, Row<'usage_points'>>((db, p) =>
  db
    .selectFrom('usage_points')
    .selectAll()
    .where('instance_id', 'in', p.instanceIds)
    .where('step', '=', p.step)
    .where('at', '>=', p.since)
    .orderBy('at')
    .orderBy('component'),
);

/** Lists the points of one step since a time, of these instances, oldest first. */
export const pointsSince = async (queries: Queries, instanceIds: readonly string[], step: number, from: number) =>
  instanceIds.length === 0 ? [] : await since(queries, { instanceIds, step, since: from });
