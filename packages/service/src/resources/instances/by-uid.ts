import type { Tx } from '../../storage/storage.ts';
import { livingByName } from './store.ts';

/** For metrics: the unreleased instances of a server by the names that its daemon has for them. */
export const idsByUid = async (tx: Tx, serverId: string, names: readonly string[]): Promise<Map<string, string>> =>
  new Map((await livingByName(tx, serverId, names)).map(({ container_name, id }) => [container_name, id]));
