import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { conflict } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import type { NamedRow } from '../instances/public.ts';
import { manifestIn } from './record.ts';
import { type BackupRow, completedOf } from './store.ts';

/** The backup that a copy gets its data from. */
export interface CopiedBackup {
  readonly backupId: string;
  /** The execution that makes it; null if it exists. */
  readonly executionId: string | null;
}

/** What a fresh backup for a copy contains, and whether the application is stopped for it. */
interface Way {
  readonly extent: 'declared' | 'volumes';
  readonly stops: boolean;
}

/**
 * Finds the backup for a copy, or what to back up for it; undefined if the application keeps no data. Without being asked
 * (`fresh`), nothing is chosen that stops the application.
 */
export async function sourceOfCopy(
  queries: Queries,
  spec: Canonical,
  instance: NamedRow,
  fresh: boolean,
): Promise<{ readonly backupId: string } | Way | undefined> {
  const way = wayToCopy(spec);
  if (way === undefined) return undefined;
  const kept = fresh ? undefined : await newestToCopy(queries, spec, instance);
  if (kept) return { backupId: kept.id };
  if (fresh || !way.stops) return way;
  throw conflict(
    'fresh_backup',
    'no_backup',
    `there is no restorable backup of revision ${instance.revision}; make one, or set fresh_backup, which stops the application while its volumes are copied.`,
  );
}

/** Chooses what to back up for a copy; undefined if the application keeps no data. */
function wayToCopy({ backup, components }: Canonical): Way | undefined {
  const { strategy, restore_command } = backup;
  const hasVolumes = Object.values(components).some(({ storage }) =>
    storage.some(({ host_path }) => host_path === undefined),
  );
  if (!hasVolumes) return undefined;
  // A dump that cannot be restored is of no use to a copy; then the volumes are copied.
  const readable = strategy === 'volume' || (strategy !== 'none' && restore_command !== undefined);
  if (!readable) return { extent: 'volumes', stops: true };
  return { extent: 'declared', stops: strategy !== 'dump' };
}

/** Finds the newest backup on the server of the instance that a copy of its running revision can read. */
async function newestToCopy(
  queries: Queries,
  { backup }: Canonical,
  { definition_id, server_id, revision }: NamedRow,
): Promise<BackupRow | undefined> {
  const fits = (row: BackupRow): boolean => {
    const { revision: of, parts = [] } = manifestIn(row) ?? {};
    const readable = backup.restore_command !== undefined || parts.every(({ kind }) => kind === 'volume');
    // A safety backup may hold data that does not belong to the revision.
    return (
      row.kind !== 'safety' && row.server_id === server_id && row.verify_error === null && of === revision && readable
    );
  };
  return (await completedOf(queries, definition_id)).find(fits);
}
