import { enqueue } from '../../../jobs/enqueue.ts';
import type { JobKind } from '../../../jobs/job.ts';
import type { Log } from '../../../log.ts';
import { type Problem, unauthorized } from '../../../problem.ts';
import { transition } from '../../../state/transition.ts';
import type { Storage, Tx } from '../../../storage/storage.ts';
import { notePresented } from '../identities.ts';
import { identityConflict, judgeIdentity, malformedIdentity } from '../identity.ts';
import { serverLifecycle } from '../lifecycle.ts';
import type { Platform } from '../record.ts';
import { heldServer, heldServers } from '../store.ts';
import { Reception } from './reception.ts';
import { recordPresence, type ServerRow } from './store.ts';

/** Told as `<server id> <epoch>`: older connections of that server are to be closed, wherever they are. */
export const REPLACED_TOPIC = 'channel.replaced';

/** Looks whether a server that lost its connection, or only polls, has fallen silent. */
export const SILENCE = 'servers.silence';

export interface LivenessDeps {
  readonly storage: Storage;
  readonly replica: string;
  readonly log: Pick<Log, 'error'>;
  readonly instances: {
    lose(tx: Tx, serverId: string): Promise<void>;
    regain(tx: Tx, serverId: string): Promise<void>;
  };
  readonly times?: Partial<typeof livenessTimes>;
  readonly clock?: () => number;
}

export const livenessTimes = {
  /** How long a daemon may take to come back before its server is offline. */
  reconnectMs: 5_000,
  /** How long a daemon without a connection may wait between two polls. */
  pollMs: 60_000,
  /** A poll is written down at most this often. */
  writePollMs: 15_000,
};

export interface Hello {
  /** Of the key that it came with: what is remembered of keys may be a moment older than the row. */
  readonly keyHash: string;
  readonly capabilities: readonly string[];
  readonly version: string | undefined;
  readonly journal: string | null;
  /** The public key that secrets are to be sealed to; null for a daemon without a key pair. */
  readonly sealingKey: string | null;
  readonly platform: Platform;
}

interface Newcomer extends Hello {
  readonly serverId: string;
}

/** Past so many pollers those heard of longest ago are written down once more than necessary. */
const MOST_POLLERS = 20_000;

/**
 * Whether a server's daemon is there. It is while it holds a connection or, for a daemon that does without one, while it
 * polls. A server is offline a few seconds after its last connection ended, unless it has come back, or polls, by then.
 */
export class Liveness {
  readonly #deps: LivenessDeps;
  readonly #times: typeof livenessTimes;
  readonly #clock: () => number;
  readonly #polls = new Map<string, number>();
  readonly #reception = new Reception<Newcomer, number>({ admit: (newcomers) => this.#admit(newcomers) });

  constructor(deps: LivenessDeps) {
    this.#deps = deps;
    this.#times = { ...livenessTimes, ...deps.times };
    this.#clock = deps.clock ?? Date.now;
  }

  /** A daemon has connected here. Answers the epoch of its connection: the newest is the one that counts. */
  connected(serverId: string, hello: Hello): Promise<number> {
    return this.#reception.arrive({ ...hello, serverId });
  }

  #admit(newcomers: readonly Newcomer[]): Promise<PromiseSettledResult<number>[]> {
    return this.#deps.storage.write(async (tx) => {
      const ids = new Set(newcomers.map(({ serverId }) => serverId));
      const rows = new Map((await heldServers(tx, [...ids])).map((row) => [row.id, row]));
      const outcomes: PromiseSettledResult<number>[] = [];
      for (const newcomer of newcomers) {
        const found = rows.get(newcomer.serverId);
        const obstacle = found && opens(newcomer.keyHash, found) ? disabled(found) : unauthorized();
        if (!found || obstacle) {
          outcomes.push({ status: 'rejected', reason: obstacle });
          continue;
        }
        const row = await notePresented(tx, found, newcomer.sealingKey);
        const strange = stranger(row, newcomer.sealingKey);
        if (strange) {
          rows.set(row.id, row);
          outcomes.push({ status: 'rejected', reason: strange });
        } else {
          const now = await this.#connect(tx, row, newcomer);
          rows.set(now.id, now);
          outcomes.push({ status: 'fulfilled', value: now.connection_epoch });
        }
      }
      return outcomes;
    });
  }

  async #connect(tx: Tx, row: ServerRow, hello: Hello): Promise<ServerRow> {
    const connection_epoch = row.connection_epoch + 1;
    if (row.connected_replica !== null) tx.notify(REPLACED_TOPIC, `${row.id} ${connection_epoch}`);
    return await this.#appear(tx, row, {
      connection_epoch,
      connected_replica: this.#deps.replica,
      capabilities: JSON.stringify(hello.capabilities),
      daemon_version: hello.version ?? null,
      daemon_journal: hello.journal,
      daemon_platform: JSON.stringify(hello.platform),
      polled_at: null,
    });
  }

  /** A connection is held here all the same, though the others had given this replica up. */
  async stillConnected(serverId: string, epoch: number): Promise<void> {
    const { storage, replica } = this.#deps;
    await storage.write(async (tx) => {
      const row = await heldServer(tx, serverId);
      if (!row || row.status === 'disabled') return;
      if (row.connection_epoch !== epoch || row.connected_replica === replica) return;
      await this.#appear(tx, row, { connected_replica: replica, polled_at: null });
    });
  }

  /** A connection has ended. `duplicate` says that another one pushed it out while its daemon was alive. */
  async disconnected(serverId: string, epoch: number, duplicate: boolean): Promise<void> {
    await this.#deps.storage.write(async (tx) => {
      const row = await heldServer(tx, serverId);
      if (!row) return;
      const newest = row.connection_epoch === epoch && row.connected_replica !== null;
      if (!newest && !duplicate) return;
      await recordPresence(tx, serverId, {
        ...(duplicate && { duplicate_at: tx.now }),
        ...(newest && { connected_replica: null, polled_at: null, last_seen_at: tx.now }),
      });
      if (newest) await this.#watch(tx, serverId, tx.now + this.#times.reconnectMs);
    });
  }

  /** A daemon has asked for its deployments. Costs nothing most of the time, and nobody waits for it. */
  heard(serverId: string): void {
    const now = this.#clock();
    const last = this.#polls.get(serverId);
    if (last !== undefined && now - last < this.#times.writePollMs) return;
    if (this.#polls.size >= MOST_POLLERS) this.#polls.clear();
    this.#polls.set(serverId, now);
    this.polled(serverId).catch((err) => {
      this.#polls.delete(serverId);
      this.#deps.log.error({ err, server_id: serverId }, 'the poll of a daemon could not be written down');
    });
  }

  /** Writes a poll down. */
  async polled(serverId: string): Promise<void> {
    await this.#deps.storage.write(async (tx) => {
      const row = await heldServer(tx, serverId);
      // While there is a connection, it alone tells whether the daemon is there.
      if (!row || row.connected_replica !== null || row.status === 'disabled') return;
      if (row.status === 'pending' || row.status === 'offline') await this.#appear(tx, row, { polled_at: tx.now });
      else await recordPresence(tx, serverId, { polled_at: tx.now, last_seen_at: tx.now });
      if (row.polled_at === null || row.status !== 'online') await this.#watch(tx, serverId, this.#silentAt(tx.now));
    });
  }

  /** The handler of SILENCE. Decides by the row alone, so it does no harm when it runs twice or late. */
  readonly silence: JobKind = {
    maxAttempts: Number.POSITIVE_INFINITY,
    run: ({ job, complete }) =>
      this.#deps.storage.write(async (tx) => {
        const row = await heldServer(tx, (job.payload as { server_id: string }).server_id);
        if (!row || row.connected_replica !== null) return await complete(tx);
        const silentAt =
          row.polled_at === null ? (row.last_seen_at ?? 0) + this.#times.reconnectMs : this.#silentAt(row.polled_at);
        if (silentAt > tx.now) return await complete(tx, { again: silentAt });
        await this.vanish(tx, row);
        return await complete(tx);
      }),
  };

  /** The server is not there any more. One that is being drained stays so. */
  async vanish(tx: Tx, row: ServerRow): Promise<void> {
    const gone = { connected_replica: null, polled_at: null };
    if (row.status === 'online') await transition(tx, serverLifecycle, row, 'disconnect', { actor: null, set: gone });
    else await recordPresence(tx, row.id, gone);
    if (row.status === 'online' || row.status === 'draining') await this.#deps.instances.lose(tx, row.id);
  }

  async #appear(tx: Tx, row: ServerRow, set: Partial<ServerRow>): Promise<ServerRow> {
    const { status: _, ...columns } = { ...set, last_seen_at: tx.now };
    const there = await transition(tx, serverLifecycle, row, 'connect', { actor: row.id, set: columns });
    if (row.status !== 'online') await this.#deps.instances.regain(tx, row.id);
    return there;
  }

  #watch(tx: Tx, serverId: string, runAt: number): Promise<void> {
    return enqueue(tx, { kind: SILENCE, key: serverId, payload: { server_id: serverId }, runAt });
  }

  #silentAt(polledAt: number): number {
    return polledAt + this.#times.pollMs;
  }
}

const disabled = ({ status }: ServerRow): Problem | undefined =>
  status === 'disabled' ? unauthorized('This server is disabled.') : undefined;

/** Refuses a daemon without the pinned key pair: it would push the right one out and be sent its orders. */
function stranger(row: ServerRow, shown: string | null): Problem | undefined {
  const verdict = judgeIdentity(row, shown);
  if (verdict === 'malformed') return malformedIdentity();
  return verdict === 'conflict' ? identityConflict() : undefined;
}

/** Whether a key is one of the server's: the present one, or the next, which takes its place with its first use. */
export const opens = (keyHash: string, server: Pick<ServerRow, 'key_hash' | 'next_key_hash'>): boolean =>
  keyHash === server.key_hash || keyHash === server.next_key_hash;
