import type { Tx } from '../../storage/storage.ts';
import { livingByUid } from './store.ts';

/** For metrics: the instances on a server that a daemon names by their uids. Released ones are gone. */
export const idsByUid = async (tx: Tx, serverId: string, uids: readonly string[]): Promise<Map<string, string>> =>
  new Map((await livingByUid(tx, serverId, uids)).map(({ instance_uid, id }) => [instance_uid, id]));
