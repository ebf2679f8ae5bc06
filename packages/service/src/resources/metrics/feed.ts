import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerReading } from '@hortus/contract/resources/metrics';
import { backoffMs } from '@hortus/contract/runtime/backoff';
import type { Guard } from '../../process/guard.ts';
import type { Log } from '../../process/log.ts';
import type { DaemonStreams } from '../../streams/daemon-streams.ts';
import { receiveStream } from '../../streams/receive.ts';
import type { ServerState } from '../servers/public.ts';
import { type Delay, delayOf, unreachable } from './delay.ts';
import { liveReading, type MetricsTarget, type ReadingDeps, readMessage, storedReading } from './server-readings.ts';

export interface FeedDeps extends ReadingDeps {
  readonly streams: Pick<DaemonStreams, 'open'>;
  readonly serverState: (target: MetricsTarget) => Promise<ServerState | undefined>;
  readonly guard: Guard;
  readonly log: Pick<Log, 'warn'>;
  /** Pause between two looks at the stored readings; tests pass their own. */
  readonly storedMs?: number;
}

export interface FeedState {
  /** Grows with every change. */
  readonly number: number;
  readonly reading: ServerReading | undefined;
  /** Why the readings are stored ones; undefined while they are live or before that is known. */
  readonly delay: Delay | undefined;
  /** The server was removed. */
  readonly isOver: boolean;
}

const STORED_MS = 5_000;
/** A connection without a reading for so long is dead: a daemon sends one every 2 seconds. */
const SILENT_MS = 15_000;
const PAUSES = { firstMs: 200, maxMs: 5_000 };

/**
 * The newest reading of a server, received once for all who watch it: from its daemon or, while that is away or too old,
 * from its stored reports. Only the newest reading is kept, so that a slow watcher costs nothing.
 */
export class MetricsFeed {
  readonly #deps: FeedDeps;
  readonly #target: MetricsTarget;
  readonly #over = new AbortController();
  readonly #waiting = new Set<() => void>();
  #state: FeedState = { number: 0, reading: undefined, delay: undefined, isOver: false };
  #isBuilding = false;

  constructor(deps: FeedDeps, target: MetricsTarget) {
    this.#deps = deps;
    this.#target = target;
    void this.#run();
  }

  /** Returns the state as soon as it is newer than the given number, or when the signal fires. */
  async next(after: number, signal: AbortSignal): Promise<FeedState> {
    if (this.#state.number <= after && !signal.aborted) {
      await new Promise<void>((done) => {
        const release = () => {
          signal.removeEventListener('abort', guardedRelease);
          this.#waiting.delete(release);
          done();
        };
        const guardedRelease = this.#deps.guard(release);
        this.#waiting.add(release);
        signal.addEventListener('abort', guardedRelease);
      });
    }
    return this.#state;
  }

  close(): void {
    this.#over.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    for (let failures = 0; !signal.aborted; ) {
      let pauseMs: number;
      try {
        pauseMs = await this.#round();
        failures = 0;
      } catch (err) {
        this.#deps.log.warn(
          { err, server_id: this.#target.serverId },
          'following the metrics of a server failed; retrying',
        );
        await this.#showStored(unreachable).catch(() => undefined);
        pauseMs = backoffMs(++failures, PAUSES);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Receives readings until the connection ends, or looks once at the stored ones; returns the pause that follows. */
  async #round(): Promise<number> {
    const { serverState, streams, guard, storedMs = STORED_MS } = this.#deps;
    const server = await serverState(this.#target);
    if (!server) return this.#end();
    const delay = delayOf(server);
    if (delay !== undefined || this.#state.reading === undefined) await this.#showStored(delay);
    if (delay !== undefined) return storedMs;
    const silence = new AbortController();
    const dead = () => silence.abort();
    const timer = setTimeout(guard(dead), SILENT_MS);
    const signal = AbortSignal.any([this.#over.signal, silence.signal]);
    const receive = (data: Buffer) => {
      timer.refresh();
      this.#receive(data);
    };
    const wanted = { ...this.#target, kind: 'metrics', instance: this.#target.serverId } as const;
    try {
      await receiveStream(wanted, { streams, guard, signal, receive });
    } finally {
      clearTimeout(timer);
    }
    return PAUSES.firstMs;
  }

  /** The server was removed. */
  #end(): number {
    this.#publish({ isOver: true });
    this.close();
    return 0;
  }

  /** Publishes the stored reading if it is newer than the last one. */
  async #showStored(delay: Delay | undefined): Promise<void> {
    const reading = await storedReading(this.#deps, this.#target);
    const known = this.#state.reading;
    const isNew = known === undefined || (reading?.at ?? '') > (known.at ?? '');
    if (isNew || this.#state.delay !== delay) this.#publish({ delay, ...(isNew && { reading }) });
  }

  /** Drops a reading that arrives while the last one is still being built. */
  #receive(data: Buffer): void {
    const message = readMessage(data);
    if (this.#isBuilding) return;
    this.#isBuilding = true;
    const build = async () => {
      // The connection of a removed server may still be open.
      if (!(await this.#deps.serverState(this.#target))) return this.#end();
      this.#publish({ reading: await liveReading(this.#deps, this.#target, message), delay: undefined });
    };
    build()
      .catch((err: unknown) =>
        this.#deps.log.warn({ err, server_id: this.#target.serverId }, 'a reading of a server was not sent on'),
      )
      .finally(() => {
        this.#isBuilding = false;
      });
  }

  #publish(change: Partial<FeedState>): void {
    this.#state = { ...this.#state, ...change, number: this.#state.number + 1 };
    for (const release of [...this.#waiting]) release();
  }
}

/** Opens a feed with its first watcher and closes it after the last. */
export class MetricsFeeds {
  readonly #deps: FeedDeps;
  readonly #feeds = new Map<string, { readonly feed: MetricsFeed; users: number }>();

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  /** `leave` must follow once. */
  join(target: MetricsTarget): { readonly feed: MetricsFeed; leave(): void } {
    const { serverId } = target;
    const known = this.#feeds.get(serverId) ?? { feed: new MetricsFeed(this.#deps, target), users: 0 };
    this.#feeds.set(serverId, known);
    known.users++;
    return {
      feed: known.feed,
      leave: () => {
        if (--known.users > 0) return;
        this.#feeds.delete(serverId);
        known.feed.close();
      },
    };
  }
}
