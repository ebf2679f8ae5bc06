import type { Bus } from '../../bus/bus.ts';
import { Sweeper } from '../../bus/sweeper.ts';
import type { Connection } from '../../channel/connection.ts';
import type { Gateway } from '../../channel/gateway.ts';
import type { Log } from '../../process/log.ts';
import type { Storage } from '../../storage/storage.ts';
import { LEASE_TOPIC, vacantClusters } from '../servers/public.ts';
import { type Leadership, MEMBER_REPLACED_TOPIC } from './leadership.ts';
import { keysOfMembers, recordMembersSeen } from './store.ts';

export interface SuccessionOptions {
  readonly storage: Storage;
  readonly bus: Bus;
  readonly replica: string;
  readonly gateway: Pick<Gateway, 'members' | 'promote'>;
  readonly leadership: Pick<Leadership, 'takeOver' | 'leaseMs' | 'responded' | 'isReserved'>;
  /** Records that the leader of an epoch is not connected after all. */
  readonly lost: (serverId: string, epoch: number) => Promise<void>;
  readonly log: Pick<Log, 'error'>;
  readonly clock?: () => number;
  /** Interval at which standbys look for a lease that has ended. */
  readonly everyMs?: number;
  /** Interval at which the keys of members are compared with the database. */
  readonly rollCallMs?: number;
}

/**
 * Watches the members of clusters that are connected to this process: promotes a standby when the lease of the leader
 * has ended, and closes the connections of leaders that did not renew theirs, of replaced and of revoked members.
 */
export class Succession {
  readonly #options: SuccessionOptions;
  readonly #clock: () => number;
  readonly #sweeper: Sweeper;
  readonly #subscriptions: (() => void)[] = [];
  #rollCallAt = 0;

  constructor(options: SuccessionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    const { log, bus } = options;
    this.#sweeper = new Sweeper({ name: 'the succession of leaders', log, pauseMs: 50, sweep: () => this.#sweep() });
    bus.onGap(() => this.wake());
  }

  start(): void {
    const { bus } = this.#options;
    this.#subscriptions.push(
      bus.subscribe(LEASE_TOPIC, () => this.wake()),
      bus.subscribe(MEMBER_REPLACED_TOPIC, (message) => {
        const [memberId, number] = message.split(' ');
        for (const connection of this.#options.gateway.members())
          if (connection.memberId === memberId && connection.memberConnection < Number(number)) connection.replace();
      }),
    );
    this.#sweeper.start();
  }

  wake(): void {
    this.#sweeper.wake();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    await this.#sweeper.stop();
  }

  async #sweep(): Promise<number> {
    const open = [...this.#options.gateway.members()].filter(({ isOpen }) => isOpen);
    const vacant = await this.#vacant(open);
    await this.#rollCall(open);
    // The database may have been lost during the roll call.
    this.#options.leadership.responded();
    this.#deposeSilent(open);
    await this.#promote(
      open.filter(({ standby }) => standby),
      vacant,
    );
    return this.#options.everyMs ?? 1_000;
  }

  /** Asks for the clusters without a lease. The database is asked even without members: they leave in a long outage. */
  async #vacant(connections: readonly Connection[]): Promise<Set<string>> {
    const { storage, leadership } = this.#options;
    const ids = [...new Set(connections.map(({ serverId }) => serverId))];
    const vacant = ids.length > 0 ? await vacantClusters(storage.reader, ids, this.#clock()) : [];
    if (ids.length === 0) await storage.ping();
    leadership.responded();
    return new Set(vacant);
  }

  /** Closes leaders whose lease ended without a renewal: their daemon hangs, or its messages do not arrive. */
  #deposeSilent(connections: readonly Connection[]): void {
    // They may renew the leases that ended while the database was lost.
    if (this.#options.leadership.isReserved) return;
    const now = this.#clock();
    for (const connection of connections) if (!connection.standby && connection.leaseUntil <= now) connection.depose();
  }

  async #promote(standbys: readonly Connection[], vacant: Set<string>): Promise<void> {
    const { gateway, leadership, lost } = this.#options;
    for (const connection of standbys) {
      const { serverId, memberId, keyHash, isOpen } = connection;
      if (!vacant.has(serverId) || !isOpen) continue;
      const from = this.#clock();
      const term = await leadership.takeOver(serverId, memberId, keyHash);
      if (term === undefined) continue;
      vacant.delete(serverId);
      connection.leaseUntil = from + leadership.leaseMs;
      connection.leaderSince = term.since;
      gateway.promote(connection, term.epoch);
      if (!connection.isOpen) await lost(serverId, term.epoch);
    }
  }

  /** Notices are quick but may get lost. */
  async #rollCall(connections: readonly Connection[]): Promise<void> {
    const { storage, replica, rollCallMs = 30_000 } = this.#options;
    const now = this.#clock();
    if (now < this.#rollCallAt || connections.length === 0) return;
    this.#rollCallAt = now + rollCallMs;
    const rows = await keysOfMembers(
      storage.reader,
      connections.map(({ memberId }) => memberId),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const present: string[] = [];
    for (const connection of connections) {
      const row = byId.get(connection.memberId);
      if (row?.key_hash !== connection.keyHash) connection.refuse('this key is no longer valid');
      else if (row.connection_number > connection.memberConnection) connection.replace();
      else present.push(connection.memberId);
    }
    if (present.length > 0) await storage.write((tx) => recordMembersSeen(tx, replica, present));
  }
}
