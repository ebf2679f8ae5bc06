import type { Queries } from '../../storage/storage.ts';
import { lastEnded } from './store.ts';

/**
 * Whether what is deployed of a definition fits its data. It does not after a deployment that failed when a job had changed the
 * data; it does where a daemon only refused to go back, because what it stayed with is what the data was changed for.
 */
export async function hasOwnData(queries: Queries, definitionId: string): Promise<boolean> {
  const last = await lastEnded(queries, definitionId);
  return last?.reason !== 'irreversible' || last.created_by === last.server_id;
}
