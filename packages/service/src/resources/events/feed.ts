import { setImmediate as nextTurn } from 'node:timers/promises';
import { Sweeper } from '../../bus/sweeper.ts';
import { lastSeq } from '../../outbox/store.ts';
import type { Log } from '../../process/log.ts';
import type { Queries } from '../../storage/storage.ts';
import { type EventRow, eventsAfter, tenantsOf } from './store.ts';

/** Receives the events of its account as they are numbered. Must not throw. */
export interface Follower {
  readonly accountId: string;
  /** Whether it needs to know the tenant of each event, which costs a query. */
  readonly byTenant: boolean;
  /** `tenants` has the tenants of the resources of the batch; undefined if they were not looked up for its account. */
  offer(event: EventRow, tenants: Tenants | undefined): void;
  /** Called after the last event of a batch: there is nothing up to `seq` that was not offered. */
  reached(seq: number): void;
}

/** Ids of tenants by the id of a resource; a resource that belongs to none is missing. */
type Tenants = ReadonlyMap<string, string>;

export interface EventFeedDeps {
  readonly reader: Queries;
  readonly log: Pick<Log, 'error'>;
  /** Interval of the sweep that finds events whose notice was lost. */
  readonly sweepMs?: number;
}

const MAX_AT_ONCE = 500;
/** Time for writing to followers before requests get a turn; one event goes to all its followers at once. */
const SLICE_MS = 4;

/**
 * Reads new events once for all followers on this replica, in the order of `seq`. Numbers become visible in that order
 * (see Dispatcher), so everything up to the last one read has been offered. Reads nothing without followers.
 */
export class EventFeed {
  readonly #deps: EventFeedDeps;
  readonly #sweeper: Sweeper;
  readonly #followers = new Map<string, Set<Follower>>();
  /** Followers that are catching up or live: the feed reads while there are any. */
  #joined = 0;
  #last: Promise<number> | undefined;
  #offered = 0;

  constructor(deps: EventFeedDeps) {
    this.#deps = deps;
    this.#sweeper = new Sweeper({
      name: 'reading new events',
      log: deps.log,
      sweep: async () => ((await this.#read()) ? 0 : (deps.sweepMs ?? 1_000)),
    });
  }

  start(): void {
    this.#sweeper.start();
  }

  /** Reads soon; called on the notice that events were numbered, on any replica. */
  wake(): void {
    if (this.#joined > 0) this.#sweeper.wake();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  /** Number of the last event that was offered; valid between `join` and `leave`. */
  get offered(): number {
    return this.#offered;
  }

  /** Keeps the feed reading until `leave`. */
  async join(): Promise<void> {
    this.#joined++;
    this.#last ??= lastSeq(this.#deps.reader);
    try {
      this.#offered = Math.max(this.#offered, await this.#last);
    } catch (error) {
      this.#last = undefined;
      this.leave();
      throw error;
    }
  }

  leave(): void {
    this.#joined--;
    if (this.#joined === 0) this.#last = undefined;
  }

  /** Offers the follower every event after `offered`. Returns a function that ends this. */
  add(follower: Follower): () => void {
    const { accountId } = follower;
    const followers = this.#followers.get(accountId) ?? new Set();
    this.#followers.set(accountId, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && this.#followers.get(accountId) === followers) this.#followers.delete(accountId);
    };
  }

  /** Returns true if there may be more. */
  async #read(): Promise<boolean> {
    if (this.#joined === 0 || this.#last === undefined) return false;
    await this.#last;
    const events = await eventsAfter(this.#deps.reader, { after: this.#offered, max: MAX_AT_ONCE });
    const newest = events.at(-1);
    if (newest === undefined) return false;
    const accounts = this.#accountsByTenant();
    const asked = events.filter(({ account_id }) => accounts.has(account_id)).map(({ resource_id }) => resource_id);
    const tenants = asked.length === 0 ? new Map() : await tenantsOf(this.#deps.reader, [...new Set(asked)]);
    let begun = performance.now();
    for (const event of events) {
      const { account_id, seq } = event;
      for (const follower of this.#followers.get(account_id) ?? [])
        follower.offer(event, accounts.has(account_id) ? tenants : undefined);
      // Advances with each event: a follower that is added during a pause continues from here.
      this.#offered = Math.max(this.#offered, seq);
      if (performance.now() - begun < SLICE_MS) continue;
      await nextTurn();
      begun = performance.now();
    }
    for (const followers of this.#followers.values()) for (const follower of followers) follower.reached(newest.seq);
    return events.length === MAX_AT_ONCE;
  }

  #accountsByTenant(): Set<string> {
    const found = new Set<string>();
    for (const [accountId, followers] of this.#followers)
      if ([...followers].some(({ byTenant }) => byTenant)) found.add(accountId);
    return found;
  }
}
