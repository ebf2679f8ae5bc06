import { newId } from '../../records/ids.ts';
import { insertRow } from '../../storage/status-columns.ts';
import type { Storage } from '../../storage/storage.ts';
import { serverRow } from '../../testing/rows.ts';
import type { Replica } from './replicas.ts';

/** Inserts a minimal server; only its keys matter here. */
export async function insertServer({ storage, accountId }: Replica, keyHash: string): Promise<string> {
  const serverId = newId('server');
  await storage.write((tx) =>
    insertRow(tx, 'servers', { ...serverRow(tx, { accountId, serverId }), key_hash: keyHash, status: 'pending' }),
  );
  return serverId;
}

export const setNextServerKey = (storage: Storage, id: string, hash: string) =>
  storage.write((tx) => tx.db.updateTable('servers').set({ next_key_hash: hash }).where('id', '=', id).execute());
