import type { Queries } from '../../storage/storage.ts';
import { findCapacity } from './store.ts';

/** Free disk space in bytes as last reported; null before the first report. */
export const diskFree = async (queries: Queries, accountId: string, serverId: string): Promise<number | null> =>
  (await findCapacity(queries, accountId, serverId))?.disk_free ?? null;
