import { setImmediate as turn } from 'node:timers/promises';
import { sealingKeyFingerprint } from '@hortus/template/sealing/sealing-key';
import { Sweeper } from '../../../bus/sweeper.ts';
import type { Connection } from '../../../channel/connection.ts';
import type { Gateway } from '../../../channel/gateway.ts';
import type { Log } from '../../../process/log.ts';
import { iso } from '../../../records/time.ts';
import type { Storage } from '../../../storage/storage.ts';
import { type Liveness, opens } from './liveness.ts';
import { type Attendance, attendanceOf, attendancesOf, recordSeen, serversAt } from './store.ts';

export interface RollCallOptions {
  readonly storage: Storage;
  readonly replica: string;
  readonly gateway: Pick<Gateway, 'connections' | 'connection'>;
  readonly liveness: Pick<Liveness, 'stillConnected' | 'disconnected'>;
  readonly log: Pick<Log, 'error'>;
  /** Sends a daemon a new key that it has not acknowledged. */
  readonly offerKey: (connection: Connection) => Promise<void>;
  readonly everyMs?: number;
}

const AT_ONCE = 200;

/**
 * Periodically compares the connections of this process with the database, because bus messages may get lost: closes
 * connections that were replaced or whose key was revoked, and records that the others were seen.
 */
export class RollCall {
  readonly #options: RollCallOptions;
  readonly #sweeper: Sweeper;
  #hasMissed = false;

  constructor(options: RollCallOptions) {
    this.#options = options;
    const { log } = options;
    this.#sweeper = new Sweeper({ name: 'the roll call of daemons', log, pauseMs: 100, sweep: () => this.#sweep() });
  }

  start(): void {
    this.#sweeper.start();
  }

  /** Runs soon, because a message may have been missed. */
  wake(): void {
    this.#sweeper.wake();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  /** Checks a new connection, which has missed all earlier messages. */
  async attend(connection: Connection): Promise<void> {
    const row = await attendanceOf(this.#options.storage.reader, connection.serverId);
    await this.#isInOrder(connection, row);
  }

  /** Connections may have ended while the database was lost: records their end, with the next sweep. */
  missed(): void {
    this.#hasMissed = true;
    this.wake();
  }

  /**
   * Without it their servers would stay online. A connection that opens at this moment corrects that itself, by `attend` or with
   * the next sweep.
   */
  async #recordMissed(): Promise<void> {
    const { storage, replica, gateway, liveness } = this.#options;
    for (const { id, connection_epoch } of await serversAt(storage.reader, replica))
      if (!gateway.connection(id)) await liveness.disconnected(id, connection_epoch, false);
    this.#hasMissed = false;
  }

  async #sweep(): Promise<number> {
    // Members of clusters renew a lease instead, which proves the same.
    const all = [...this.#options.gateway.connections()].filter(({ memberId }) => memberId === '');
    for (let from = 0; from < all.length; from += AT_ONCE) {
      await this.#call(all.slice(from, from + AT_ONCE));
      await turn();
    }
    // Last: if it fails, it is repeated with the next sweep, and the calls are not delayed.
    if (this.#hasMissed) await this.#recordMissed();
    return this.#options.everyMs ?? 30_000;
  }

  async #call(connections: readonly Connection[]): Promise<void> {
    const { storage, replica } = this.#options;
    const rows = await attendancesOf(
      storage.reader,
      connections.map(({ serverId }) => serverId),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const present: string[] = [];
    for (const connection of connections) {
      if (!connection.isOpen) continue;
      if (await this.#isInOrder(connection, byId.get(connection.serverId))) present.push(connection.serverId);
    }
    if (present.length > 0) await storage.write((tx) => recordSeen(tx, replica, present));
  }

  /** Closes the connection of a daemon without the pinned key pair; reports conflicts to the pinned one. */
  async #isPinned(connection: Connection, row: Attendance): Promise<boolean> {
    if (row.identity_key !== connection.sealingKey) {
      // It may have been pinned since the rows were read.
      const now = await attendanceOf(this.#options.storage.reader, connection.serverId);
      if (now?.identity_key !== connection.sealingKey) {
        connection.forbid('the key pair of this server was reset, or another one is pinned');
        return false;
      }
    }
    const { identity_conflict_at: at, identity_conflict: key } = row;
    if (at !== null && at !== connection.conflictReportedAt) {
      connection.conflictReportedAt = at;
      const fingerprint = key ? sealingKeyFingerprint(key) : null;
      connection.send({ type: 'identity_conflict', fingerprint, seen_at: iso(at) });
    }
    return true;
  }

  async #isInOrder(connection: Connection, row: Attendance | undefined): Promise<boolean> {
    const { storage, replica, liveness, offerKey } = this.#options;
    if (!row || !opens(connection.keyHash, row)) {
      // The key may have been rotated since the rows were read.
      const now = await attendanceOf(storage.reader, connection.serverId);
      // Otherwise it was revoked and the message got lost; the connection may already have been given the valid key.
      while (connection.isOpen && !(now && opens(connection.keyHash, now))) connection.keyDied(connection.keyHash);
      return connection.isOpen && (await this.#isInOrder(connection, now));
    }
    if (!(await this.#isPinned(connection, row))) return false;
    if (row.connection_epoch > connection.epoch) {
      connection.replace();
      return false;
    }
    if (row.connected_replica !== replica) await liveness.stillConnected(connection.serverId, connection.epoch);
    if (row.next_key_sealed !== null) await offerKey(connection);
    return true;
  }
}
