import { statement } from '../../../storage/statement.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';

export type NodeRow = Row<'server_nodes'>;

const nodes = statement<{ serverId: string }, NodeRow>((db, p) =>
  db.selectFrom('server_nodes').selectAll().where('server_id', '=', p.serverId).orderBy('hostname').orderBy('id'),
);

/** Sorted by host name. There are at most 500. */
export const nodesOf = (queries: Queries, serverId: string): Promise<NodeRow[]> => nodes(queries, { serverId });

export const findNode = (queries: Queries, serverId: string, id: string): Promise<NodeRow | undefined> =>
  queries.db
    .selectFrom('server_nodes')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('id', '=', id)
    .executeTakeFirst();

export async function writeNode(tx: Tx, row: NodeRow): Promise<void> {
  const { server_id: _, id: __, ...columns } = row;
  await tx.db
    .insertInto('server_nodes')
    .values(row)
    .onConflict((known) => known.columns(['server_id', 'id']).doUpdateSet(columns))
    .execute();
}

export async function deleteNodes(tx: Tx, serverId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.db.deleteFrom('server_nodes').where('server_id', '=', serverId).where('id', 'in', ids).execute();
}

export async function deleteNodesOf(tx: Tx, serverId: string): Promise<void> {
  await tx.db.deleteFrom('server_nodes').where('server_id', '=', serverId).execute();
}
