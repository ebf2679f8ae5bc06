import type { Queries } from '../../storage/storage.ts';
import { lastEnded } from './store.ts';

/**
 * Whether the deployed revision matches its data. It does not after a deployment that failed once a job had changed the
 * data. It does if the daemon itself refused to roll back: then the kept revision is the one the data was changed for.
 */
export async function matchesData(queries: Queries, definitionId: string): Promise<boolean> {
  const last = await lastEnded(queries, definitionId);
  return last?.reason !== 'irreversible' || last.created_by === last.server_id;
}
