import { forUpdate } from '../../../storage/locking.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';

export type RouteClaimRow = Row<'route_claims'>;

/** Inserts the claim or returns the existing one. On PostgreSQL a concurrent claim waits here for the first. */
export async function claimRoute(tx: Tx, wanted: RouteClaimRow): Promise<RouteClaimRow> {
  const { server_id, host, path } = wanted;
  await tx.db
    .insertInto('route_claims')
    .values(wanted)
    .onConflict((clash) => clash.columns(['server_id', 'host', 'path']).doNothing())
    .execute();
  return forUpdate(
    tx,
    tx.db
      .selectFrom('route_claims')
      .selectAll()
      .where('server_id', '=', server_id)
      .where('host', '=', host)
      .where('path', '=', path),
  ).executeTakeFirstOrThrow();
}

export const setRouteClaim = (tx: Tx, { server_id, host, path, ...set }: RouteClaimRow) =>
  tx.db
    .updateTable('route_claims')
    .set(set)
    .where('server_id', '=', server_id)
    .where('host', '=', host)
    .where('path', '=', path)
    .execute();

export const findRouteClaim = (
  queries: Queries,
  { server_id, host, path }: Pick<RouteClaimRow, 'server_id' | 'host' | 'path'>,
): Promise<RouteClaimRow | undefined> =>
  queries.db
    .selectFrom('route_claims')
    .selectAll()
    .where('server_id', '=', server_id)
    .where('host', '=', host)
    .where('path', '=', path)
    .executeTakeFirst();

export const dropRouteClaims = (tx: Tx, definitionId: string, serverId: string) =>
  tx.db
    .deleteFrom('route_claims')
    .where('definition_id', '=', definitionId)
    .where('server_id', '=', serverId)
    .execute();
