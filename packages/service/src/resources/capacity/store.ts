import { statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

type CapacityRow = Row<'server_capacity'>;

/** A server and what it last said of itself: nothing but nulls where it has never spoken. */
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

export const listCapacity = (
  queries: Queries,
  accountId: string,
  limit: number,
  offset: number,
): Promise<ReportedRow[]> =>
  queries.db
    .selectFrom('servers')
    .leftJoin('server_capacity', 'server_capacity.server_id', 'servers.id')
    .select('servers.id')
    .select(reported)
    .where('servers.account_id', '=', accountId)
    .where('servers.deleted_at', 'is', null)
    .orderBy('servers.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();

export async function countServers(queries: Queries, accountId: string, atMost: number): Promise<number> {
  const some = queries.db
    .selectFrom('servers')
    .select('id')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .limit(atMost)
    .as('some');
  const { total } = await queries.db
    .selectFrom(some)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export const findCapacity = (queries: Queries, accountId: string, serverId: string): Promise<ReportedRow | undefined> =>
  queries.db
    .selectFrom('servers')
    .leftJoin('server_capacity', 'server_capacity.server_id', 'servers.id')
    .select('servers.id')
    .select(reported)
    .where('servers.id', '=', serverId)
    .where('servers.account_id', '=', accountId)
    .where('servers.deleted_at', 'is', null)
    .executeTakeFirst();

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
