import type { JobKind } from '../../../jobs/job.ts';
import { rowJob } from '../../../jobs/row-job.ts';
import { waker } from '../../../jobs/wake.ts';
import { type Problem, unauthorized } from '../../../problem.ts';
import type { Log } from '../../../process/log.ts';
import { transition } from '../../../state/transition.ts';
import type { Storage, Tx } from '../../../storage/storage.ts';
import { modeRefusal, withRefusal } from '../cluster-mode.ts';
import { notePresented } from '../identities.ts';
import { identityConflict, judgeIdentity, malformedIdentity } from '../identity.ts';
import { serverLifecycle } from '../lifecycle.ts';
import type { Platform } from '../record.ts';
import { heldServer, heldServers } from '../store.ts';
import { Reception } from './reception.ts';
import { recordPresence, type ServerRow } from './store.ts';

/** Message `<server id> <epoch> <member id>`: every replica closes older connections of that server. */
export const REPLACED_TOPIC = 'channel.replaced';

/** Job that checks whether a server without a connection has gone silent. */
export const SILENCE = 'servers.silence';

const wakeSilence = waker(SILENCE);

export interface LivenessDeps {
  readonly storage: Storage;
  readonly replica: string;
  readonly log: Pick<Log, 'error'>;
  readonly instances: {
    lose(tx: Tx, serverId: string): Promise<void>;
    /** `reports`: its daemon reports its instances by itself after connecting. */
    regain(tx: Tx, serverId: string, by: { readonly reports: boolean }): Promise<void>;
  };
  readonly times?: Partial<typeof livenessTimes>;
  readonly clock?: () => number;
}

export const livenessTimes = {
  /** Time for a daemon to reconnect before its server is offline. */
  reconnectMs: 5_000,
  /** Longest interval between two polls of a daemon without a connection. */
  pollMs: 60_000,
  /** Time for another member to lead a cluster before it is offline: longer than a lease. */
  takeoverMs: 15_000,
  /** Smallest interval between writes of polls. */
  writePollMs: 15_000,
};

export interface Hello {
  /** Hash of the key it authenticated with: cached keys may be older than the row. */
  readonly keyHash: string;
  readonly capabilities: readonly string[];
  readonly version: string | undefined;
  readonly journal: string | null;
  /** Public key to seal secrets for; null for a daemon without a key pair. */
  readonly sealingKey: string | null;
  readonly platform: Platform;
}

interface Newcomer extends Hello {
  readonly serverId: string;
}

/** Limit of remembered pollers. Clearing them only costs some additional writes. */
const MAX_POLLERS = 20_000;

/**
 * Tracks whether a server's daemon is online: while it holds a connection or, for a daemon without one, while it polls.
 * A server goes offline a few seconds after its last connection ended, unless it reconnects or polls by then.
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

  /** Registers a connection of a daemon. Returns its epoch: only the newest connection is valid. */
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
        const wrong = modeRefusal(found.kind, newcomer.capabilities);
        const row = wrong ? await this.refused(tx, found, wrong) : await notePresented(tx, found, newcomer.sealingKey);
        const strange = wrong ?? identityProblem(row, newcomer.sealingKey);
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
      ...daemonColumns(hello),
      polled_at: null,
    });
  }

  /**
   * Records that a member of a cluster leads. The row has its epoch already, and takes over what describes the member:
   * everything that asks for the daemon of the server then finds the leading one.
   */
  async lead(tx: Tx, row: ServerRow, member: LeadingMember): Promise<void> {
    if (row.connected_replica !== null) tx.notify(REPLACED_TOPIC, `${row.id} ${row.connection_epoch} ${member.id}`);
    const { id: _, ...columns } = member;
    await this.#appear(tx, row, { connected_replica: this.#deps.replica, polled_at: null, ...columns });
  }

  /** Records that a cluster has no leader: its connection was revoked. The epoch is newer than those of all connections. */
  async leaderless(tx: Tx, row: ServerRow): Promise<void> {
    if (row.connected_replica !== null) tx.notify(REPLACED_TOPIC, `${row.id} ${row.connection_epoch} `);
    await recordPresence(tx, row.id, { connected_replica: null, polled_at: null, last_seen_at: tx.now });
    await wakeSilence(tx, row.id, tx.now + this.#reconnectMs(row));
  }

  /** Shows the refusal in the record of the server. */
  async refused(tx: Tx, row: ServerRow, problem: Problem): Promise<ServerRow> {
    const daemon_platform = withRefusal(row, problem, tx.now);
    if (daemon_platform === undefined) return row;
    await recordPresence(tx, row.id, { daemon_platform });
    return { ...row, daemon_platform };
  }

  /** Claims a connection again that is still held here, after other replicas considered this one dead. */
  async stillConnected(serverId: string, epoch: number): Promise<void> {
    const { storage, replica } = this.#deps;
    await storage.write(async (tx) => {
      const row = await heldServer(tx, serverId);
      if (!row || row.status === 'disabled') return;
      if (row.connection_epoch !== epoch || row.connected_replica === replica) return;
      await this.#appear(tx, row, { connected_replica: replica, polled_at: null });
    });
  }

  /** Handles the end of a connection. `duplicate`: another connection replaced it while its daemon was alive. */
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
      if (newest) await wakeSilence(tx, serverId, tx.now + this.#reconnectMs(row));
    });
  }

  /** Records a poll of a daemon. Mostly free, and not awaited. */
  seen(serverId: string): void {
    const now = this.#clock();
    const last = this.#polls.get(serverId);
    if (last !== undefined && now - last < this.#times.writePollMs) return;
    if (this.#polls.size >= MAX_POLLERS) this.#polls.clear();
    this.#polls.set(serverId, now);
    this.polled(serverId).catch((err) => {
      this.#polls.delete(serverId);
      this.#deps.log.error({ err, server_id: serverId }, 'recording a poll of a daemon failed');
    });
  }

  /** Writes a poll. */
  async polled(serverId: string): Promise<void> {
    await this.#deps.storage.write(async (tx) => {
      const row = await heldServer(tx, serverId);
      // While there is a connection, it alone decides whether the daemon is online.
      if (!row || row.connected_replica !== null || row.status === 'disabled' || row.kind === 'cluster') return;
      if (row.status === 'pending' || row.status === 'offline') await this.#appear(tx, row, { polled_at: tx.now });
      else await recordPresence(tx, serverId, { polled_at: tx.now, last_seen_at: tx.now });
      // A draining server stays draining while it is away.
      if (row.polled_at === null && row.status === 'draining')
        await this.#deps.instances.regain(tx, serverId, { reports: row.daemon_journal !== null });
      if (row.polled_at === null || row.status !== 'online') await wakeSilence(tx, serverId, this.#silentAt(tx.now));
    });
  }

  /** Handles SILENCE. Decides by the row alone, so it is safe to run twice or late. */
  get silence(): JobKind {
    return rowJob({
      storage: this.#deps.storage,
      lock: heldServer,
      isOver: ({ connected_replica }) => connected_replica !== null,
      advance: async (tx, row) => {
        const silentAt =
          row.polled_at === null ? (row.last_seen_at ?? 0) + this.#reconnectMs(row) : this.#silentAt(row.polled_at);
        if (silentAt > tx.now) return silentAt;
        await this.vanish(tx, row);
        return undefined;
      },
    });
  }

  /** Marks a server as gone. A draining one stays draining. */
  async vanish(tx: Tx, row: ServerRow): Promise<void> {
    const gone = { connected_replica: null, polled_at: null };
    if (row.status === 'online') await transition(tx, serverLifecycle, row, 'disconnect', { actor: null, set: gone });
    else await recordPresence(tx, row.id, gone);
    if (row.status === 'online' || row.status === 'draining') await this.#deps.instances.lose(tx, row.id);
  }

  async #appear(tx: Tx, row: ServerRow, set: Partial<ServerRow>): Promise<ServerRow> {
    const { status: _, ...columns } = { ...set, last_seen_at: tx.now };
    const there = await transition(tx, serverLifecycle, row, 'connect', { actor: row.id, set: columns });
    // Only hortusd has a journal.
    const reports = there.daemon_journal !== null;
    if (row.status !== 'online') await this.#deps.instances.regain(tx, row.id, { reports });
    return there;
  }

  #reconnectMs({ kind }: ServerRow): number {
    return kind === 'cluster' ? this.#times.takeoverMs : this.#times.reconnectMs;
  }

  #silentAt(polledAt: number): number {
    return polledAt + this.#times.pollMs;
  }
}

/** Columns of a cluster that are those of its leading member. */
export type LeadingMember = Pick<
  ServerRow,
  | 'id'
  | 'capabilities'
  | 'daemon_version'
  | 'daemon_journal'
  | 'daemon_platform'
  | 'identity_key'
  | 'identity_pinned_at'
  | 'identity_conflict'
  | 'identity_conflict_at'
>;

/** Describes a daemon as it did when it connected. */
export const daemonColumns = (hello: Hello) => ({
  capabilities: JSON.stringify(hello.capabilities),
  daemon_version: hello.version ?? null,
  daemon_journal: hello.journal,
  daemon_platform: JSON.stringify(hello.platform),
});

const disabled = ({ status }: ServerRow): Problem | undefined =>
  status === 'disabled' ? unauthorized('This server is disabled.') : undefined;

/** Refuses a daemon without the pinned key pair: it would replace the right one and receive its orders. */
function identityProblem(row: ServerRow, shown: string | null): Problem | undefined {
  const verdict = judgeIdentity(row, shown);
  if (verdict === 'malformed') return malformedIdentity();
  return verdict === 'conflict' ? identityConflict() : undefined;
}

/** Whether a key belongs to the server: the current one, or the next, which replaces it on first use. */
export const opens = (keyHash: string, server: Pick<ServerRow, 'key_hash' | 'next_key_hash'>): boolean =>
  keyHash === server.key_hash || keyHash === server.next_key_hash;
