import type { Queries } from '../../storage/storage.ts';
import { findCapacity } from './store.ts';

/** Bytes that a server last said it has left on its disk; null where it has said nothing. */
export const diskFree = async (queries: Queries, accountId: string, serverId: string): Promise<number | null> =>
  (await findCapacity(queries, accountId, serverId))?.disk_free ?? null;
