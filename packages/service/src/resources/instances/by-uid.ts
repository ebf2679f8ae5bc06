import type { Tx } from '../../storage/storage.ts';
import { livingByName } from './store.ts';

/** Finds unreleased instances of a server by container name, for metrics. */
export const idsByUid = async (tx: Tx, serverId: string, names: readonly string[]): Promise<Map<string, string>> =>
  new Map((await livingByName(tx, serverId, names)).map(({ container_name, id }) => [container_name, id]));
