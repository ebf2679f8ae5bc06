import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export type DiagnosticsRow = Row<'server_diagnostics'>;

/** Daemons that are shown. A cluster has one for each manager; those of revoked members are the oldest. */
const MAX_DAEMONS = 20;

/** Newest first. */
export const diagnosticsOf = (queries: Queries, serverId: string): Promise<DiagnosticsRow[]> =>
  queries.db
    .selectFrom('server_diagnostics')
    .selectAll()
    .where('server_id', '=', serverId)
    .orderBy('reported_at', 'desc')
    .orderBy('member_id')
    .limit(MAX_DAEMONS)
    .execute();

export async function writeDiagnostics(tx: Tx, row: DiagnosticsRow): Promise<void> {
  const { report, reported_at } = row;
  await tx.db
    .insertInto('server_diagnostics')
    .values(row)
    .onConflict((known) => known.columns(['server_id', 'member_id']).doUpdateSet({ report, reported_at }))
    .execute();
}
