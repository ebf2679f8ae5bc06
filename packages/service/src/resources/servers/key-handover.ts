import type { Connection } from '../../channel/connection.ts';
import type { Protect } from '../../channel/protect.ts';
import { retireOldKey } from '../../identity/credentials.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { findKeyToHandOver } from './liveness/store.ts';
import type { ServerRow } from './store.ts';

/** Published with the id of a server whose daemon is to receive a new key. */
export const ROTATE_TOPIC = 'channel.rotate';

const placeOf = (serverId: string): string => `next key of ${serverId}`;

/**
 * Encrypts the new key; the replica with the daemon's connection decrypts it. The key never reaches the database or the
 * bus in plain text, and the encrypted copy is deleted once it has arrived.
 */
export const sealedFor = (
  tx: Tx,
  vault: Pick<Vault, 'encrypt'>,
  server: Pick<ServerRow, 'id' | 'account_id'>,
  key: string,
): Promise<string> => vault.encrypt(tx, server.account_id, key, placeOf(server.id));

/** Sends daemons their new keys over the connection opened with the old one. */
export class KeyHandover {
  readonly #storage: Storage;
  readonly #vault: Pick<Vault, 'decrypt'>;
  readonly #protect: Protect;

  constructor({ storage, vault, protect }: { storage: Storage; vault: Pick<Vault, 'decrypt'>; protect: Protect }) {
    this.#storage = storage;
    this.#vault = vault;
    this.#protect = protect;
  }

  /** Sends the new key if there is one. Repeated until acknowledged. */
  async offer(connection: Connection): Promise<void> {
    if (!connection.capabilities.has('rotate')) return;
    const { serverId } = connection;
    const found = await findKeyToHandOver(this.#storage.reader, serverId);
    if (!found?.next_key_sealed || !found.next_key_hash) return;
    const place = placeOf(serverId);
    const key = await this.#vault.decrypt(this.#storage.reader, found.account_id, found.next_key_sealed, place);
    connection.handedKeyHash = found.next_key_hash;
    const order = { type: 'rotate_key' as const, api_key: key, rotation: found.next_key_hash };
    connection.send(this.#protect(order, connection, ['/api_key']));
  }

  /** Retires the old key once the daemon has the new one. Its connection stays open and now belongs to the new key. */
  async acknowledged(connection: Connection, rotation: string): Promise<void> {
    await retireOldKey(this.#storage, rotation, connection.serverId);
  }
}
