import { Sweeper } from '../../../bus/sweeper.ts';
import { guardWith } from '../../../process/guard.ts';
import type { Log } from '../../../process/log.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Liveness } from './liveness.ts';
import { beat, deleteReplicasUnseenSince, insertReplica, orphanedServers } from './store.ts';

export interface ReplicasOptions {
  readonly storage: Storage;
  readonly replica: string;
  readonly liveness: Pick<Liveness, 'vanish'>;
  /** Called when other replicas considered this one dead; its connections must be claimed again. */
  readonly givenUp: () => void;
  /** Called when this replica has not reached the database for `cutOffMs`, and again after each further such time. */
  readonly cutOff: () => void;
  /**
   * Called some time after the database is back from an outage in which the end of a connection may not have been recorded.
   * Its daemon had time to reconnect.
   */
  readonly returned: () => void;
  readonly log: Pick<Log, 'error' | 'warn'>;
  readonly beatMs?: number;
  /** A replica not seen for this long is dead. */
  readonly deadAfterMs?: number;
  /** Longer than most failovers of a database last, because every replica is then without one. */
  readonly cutOffMs?: number;
}

const AT_ONCE = 100;

/**
 * Replicas of one database watch each other: connections held by a dead one are over. A process that has just started
 * waits for one such period, because the daemons of its predecessor, perhaps down for hours, need time to reconnect.
 * For the same reason a stopping replica just goes silent.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #beatMs: number;
  readonly #deadAfterMs: number;
  readonly #sweeper: Sweeper;
  #watchesFrom = Number.POSITIVE_INFINITY;
  #lastBeat = 0;
  #wasLate = false;
  #watchdog: NodeJS.Timeout | undefined;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#beatMs = options.beatMs ?? 5_000;
    this.#deadAfterMs = options.deadAfterMs ?? 15_000;
    this.#sweeper = new Sweeper({ name: 'watching the replicas', log: options.log, sweep: () => this.#sweep() });
  }

  /** Servers may connect here once this resolves. */
  async start(): Promise<void> {
    const { storage, replica } = this.#options;
    await storage.write((tx) => insertReplica(tx, replica));
    this.#lastBeat = performance.now();
    this.#watchesFrom = this.#lastBeat + this.#deadAfterMs;
    this.#sweeper.start();
    this.#await();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#watchdog);
    await this.#sweeper.stop();
  }

  /** Expects the next beat. Apart from the sweep, which waits for the database. */
  #await(): void {
    const { log, cutOff, cutOffMs = 30_000 } = this.#options;
    clearTimeout(this.#watchdog);
    const late = () => {
      this.#await();
      log.warn({ replica: this.#options.replica }, 'this replica cannot reach the database; closing its connections');
      cutOff();
    };
    this.#watchdog = setTimeout(guardWith(log)(late), cutOffMs);
    this.#watchdog.unref();
  }

  async #sweep(): Promise<number> {
    const { storage, replica, log, givenUp, returned } = this.#options;
    const { known, beatAt } = await storage.write(async (tx) => {
      const known = await beat(tx, replica);
      if (!known) await insertReplica(tx, replica);
      return { known, beatAt: tx.now };
    });
    this.#await();
    if (!known) {
      log.warn({ replica }, 'this replica was considered dead; claiming its connections again');
      givenUp();
    }
    if (this.#watches(performance.now())) {
      if (this.#wasLate) returned();
      this.#wasLate = false;
      // A beat between two batches, so that neither this replica nor the others take it for dead.
      if ((await this.#bury(beatAt)) === AT_ONCE) return 0;
    }
    return this.#beatMs;
  }

  /**
   * While the database was lost, no replica could beat. The first one that is back must not bury the others: it waits for
   * them if its own last beat is so old that theirs may look dead.
   */
  #watches(now: number): boolean {
    if (now - this.#lastBeat > this.#deadAfterMs / 2) {
      this.#watchesFrom = now + this.#deadAfterMs;
      this.#wasLate = true;
    }
    this.#lastBeat = now;
    return now >= this.#watchesFrom;
  }

  /**
   * Deletes the row first: a replica that was only slow notices by it that it must claim its connections again. Compares with
   * the last beat of this replica instead of the time: the database may be lost in between, for all of them.
   */
  async #bury(beatAt: number): Promise<number> {
    const { storage, liveness } = this.#options;
    return await storage.write(async (tx) => {
      await deleteReplicasUnseenSince(tx, beatAt - this.#deadAfterMs);
      const orphans = await orphanedServers(tx, AT_ONCE);
      for (const orphan of orphans) await liveness.vanish(tx, orphan);
      return orphans.length;
    });
  }
}
