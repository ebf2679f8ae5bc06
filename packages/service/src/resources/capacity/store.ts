import { type Expression, type Kysely, sql } from 'kysely';
import { list } from '../../storage/lists.ts';
import { shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { NewRow, Row, Tables } from '../../storage/tables.ts';
import { MAX_SAMPLES, type Span } from '../metrics/public.ts';

type CapacityRow = Row<'server_capacity'>;

/** A server with its last report; all nulls before the first report. */
export type ReportedRow = { id: string } & {
  [Column in keyof Omit<CapacityRow, 'server_id'>]: CapacityRow[Column] | null;
};

const reported = [
  'server_capacity.memory_used',
  'server_capacity.memory_free',
  'server_capacity.cpu_cores',
  'server_capacity.cpu_used_percent',
  'server_capacity.disk_used',
  'server_capacity.disk_free',
  'server_capacity.reported_at',
] as const;

const servers = (db: Kysely<Tables>, accountId: Expression<string>) =>
  db.selectFrom('servers').where('servers.account_id', '=', accountId).where('servers.deleted_at', 'is', null);

const withReports = (db: Kysely<Tables>, accountId: Expression<string>) =>
  servers(db, accountId)
    .leftJoin('server_capacity', 'server_capacity.server_id', 'servers.id')
    .select('servers.id')
    .select(reported);

export const capacityList = list<{ readonly accountId: string }, ReportedRow>('capacity', {
  page: (db, { accountId }, { limit, offset }) =>
    withReports(db, accountId).orderBy('servers.id', 'desc').limit(limit).offset(offset),
  all: (db, { accountId }) => servers(db, accountId).select('servers.id'),
});

const byId = shapedStatement<{ readonly accountId: string; readonly serverId: string }, ReportedRow>(
  (db, { accountId, serverId }) => withReports(db, accountId).where('servers.id', '=', serverId),
);

export const findCapacity = async (
  queries: Queries,
  accountId: string,
  serverId: string,
): Promise<ReportedRow | undefined> => (await byId(queries, { accountId, serverId }))[0];

/** Reads the last reports of these servers; those without one are missing. */
export const capacitiesOf = async (
  queries: Queries,
  serverIds: readonly string[],
): Promise<ReadonlyMap<string, CapacityRow>> => {
  if (serverIds.length === 0) return new Map();
  const rows = queries.db.selectFrom('server_capacity').selectAll().where('server_id', 'in', serverIds);
  return new Map((await rows.execute()).map((row) => [row.server_id, row]));
};

const upsert = statement<CapacityRow>((db, p) =>
  db
    .insertInto('server_capacity')
    .values({
      server_id: p.server_id,
      memory_used: p.memory_used,
      memory_free: p.memory_free,
      cpu_cores: p.cpu_cores,
      cpu_used_percent: p.cpu_used_percent,
      disk_used: p.disk_used,
      disk_free: p.disk_free,
      reported_at: p.reported_at,
    })
    .onConflict((clash) =>
      clash.column('server_id').doUpdateSet((eb) => ({
        memory_used: eb.ref('excluded.memory_used'),
        memory_free: eb.ref('excluded.memory_free'),
        cpu_cores: eb.ref('excluded.cpu_cores'),
        cpu_used_percent: eb.ref('excluded.cpu_used_percent'),
        disk_used: eb.ref('excluded.disk_used'),
        disk_free: eb.ref('excluded.disk_free'),
        reported_at: eb.ref('excluded.reported_at'),
      })),
    ),
);

export const writeCapacity = async (tx: Tx, row: CapacityRow): Promise<void> => void (await upsert(tx, row));

const addPoint = statement<NewRow<'capacity_points'>>((db, p) =>
  db
    .insertInto('capacity_points')
    .values({
      server_id: p.server_id,
      step: p.step,
      at: p.at,
      samples: p.samples,
      cpu_sum: p.cpu_sum,
      cpu_max: p.cpu_max,
      memory_used_sum: p.memory_used_sum,
      memory_used_max: p.memory_used_max,
      memory_free_sum: p.memory_free_sum,
      disk_used_sum: p.disk_used_sum,
      disk_free_sum: p.disk_free_sum,
    })
    .onConflict((clash) =>
      clash
        .columns(['server_id', 'step', 'at'])
        .doUpdateSet((eb) => {
          const sum = (column: (typeof summed)[number]) =>
            eb(`capacity_points.${column}`, '+', eb.ref(`excluded.${column}`));
          const larger = (column: 'cpu_max' | 'memory_used_max') =>
            eb
              .case()
              .when(`capacity_points.${column}`, '<', eb.ref(`excluded.${column}`))
              .then(eb.ref(`excluded.${column}`))
              .else(eb.ref(`capacity_points.${column}`))
              .end();
          return {
            samples: sum('samples'),
            cpu_sum: sum('cpu_sum'),
            cpu_max: larger('cpu_max'),
            memory_used_sum: sum('memory_used_sum'),
            memory_used_max: larger('memory_used_max'),
            memory_free_sum: sum('memory_free_sum'),
            disk_used_sum: sum('disk_used_sum'),
            disk_free_sum: sum('disk_free_sum'),
          };
        })
        .where('capacity_points.samples', '<', MAX_SAMPLES),
    ),
);

/** Adds each row to its point, or creates the point. The rows must be of different points. */
export const addCapacity = (tx: Tx, rows: readonly NewRow<'capacity_points'>[]) =>
  Promise.all(rows.map((row) => addPoint(tx, row)));

const summed = ['samples', 'cpu_sum', 'memory_used_sum', 'memory_free_sum', 'disk_used_sum', 'disk_free_sum'] as const;

/** Sums one row per interval, oldest first. */
export const sumCapacity = (queries: Queries, serverId: string, { step, width, from, to }: Span) =>
  summedCapacity(queries, { serverId, step, width, from, to });

export type CapacitySum = Pick<Row<'capacity_points'>, (typeof summed)[number] | 'cpu_max' | 'memory_used_max'> & {
  readonly begin: number;
};

const summedCapacity = shapedStatement<Span & { readonly serverId: string }, CapacitySum, 'width'>(
  (db, { serverId, step, width, from, to }) => {
    const begin = sql<number>`(at / ${sql.lit(width)}) * ${sql.lit(width)}`;
    return db
      .selectFrom('capacity_points')
      .select(begin.as('begin'))
      .select(({ fn }) => [
        ...summed.map((column) => fn.sum<number>(column).as(column)),
        fn.max<number>('cpu_max').as('cpu_max'),
        fn.max<number>('memory_used_max').as('memory_used_max'),
      ])
      .where('server_id', '=', serverId)
      .where('step', '=', step)
      .where('at', '>=', from)
      .where('at', '<=', to)
      .groupBy(begin)
      .orderBy(begin);
  },
  ['width'],
);

/** Servers that use at least this share of their disk or memory, by their last report, in all accounts. */
export const fullServers = (queries: Queries, min: { readonly disk: number; readonly memory: number }) => {
  const share = (used: 'disk_used' | 'memory_used', free: 'disk_free' | 'memory_free') =>
    sql<number>`100.0 * ${sql.ref(used)} / (${sql.ref(used)} + ${sql.ref(free)} + 1)`;
  const disk = share('disk_used', 'disk_free');
  const memory = share('memory_used', 'memory_free');
  return queries.db
    .selectFrom('server_capacity')
    .innerJoin('servers', 'servers.id', 'server_capacity.server_id')
    .select(['servers.id', 'servers.account_id', 'servers.name', disk.as('disk'), memory.as('memory')])
    .where('servers.deleted_at', 'is', null)
    .where((eb) => eb.or([eb(disk, '>=', min.disk), eb(memory, '>=', min.memory)]))
    .execute();
};
