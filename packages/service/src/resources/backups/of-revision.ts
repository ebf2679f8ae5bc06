import type { Queries } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import type { RevisionRow } from '../definitions/public.ts';
import { specOf } from '../instances/public.ts';
import type { Catalog } from '../templates/public.ts';
import { manifestIn } from './record.ts';
import { type BackupRow, completedOf } from './store.ts';

/** A deployment that is rolled back. */
export type Undone = Pick<Row<'deployments'>, 'definition_id' | 'server_id' | 'backup_id' | 'created_at'>;

/**
 * Finds the backup with the data of a revision: the newest one made before a deployment that replaced the revision.
 */
export async function backupOfRevision(
  queries: Queries,
  catalog: Pick<Catalog, 'known'>,
  { definition_id, server_id, backup_id, created_at }: Undone,
  { number, ...revision }: Pick<RevisionRow, 'number' | 'template_id' | 'profile'>,
): Promise<string | undefined> {
  const { restore_command } = specOf(catalog, revision).backup;
  const fits = (row: BackupRow) => {
    const { revision: of, parts = [] } = manifestIn(row) ?? {};
    const readable = restore_command !== undefined || parts.every(({ kind }) => kind === 'volume');
    return row.kind === 'pre_deploy' && row.server_id === server_id && of === number && readable;
  };
  const candidates = (await completedOf(queries, definition_id)).filter(fits);
  const own = candidates.find(({ id }) => id === backup_id);
  return (own ?? candidates.find((row) => row.created_at < created_at))?.id;
}
