import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamedLine } from '@hortus/contract/channel/streams';
import { backoffMs } from '@hortus/contract/runtime/backoff';
import type { Guard } from '../../process/guard.ts';
import type { Log } from '../../process/log.ts';
import type { DaemonStreams } from '../../streams/daemon-streams.ts';
import { receiveStream } from '../../streams/receive.ts';
import type { ServerState } from '../servers/public.ts';
import { Batch } from './batch.ts';
import { readMessage } from './line-record.ts';
import { SharedRoom } from './shared-room.ts';
import { isReachable, type LogTarget } from './target.ts';

export interface Watcher {
  offer(batch: Batch): void;
  /** Lines that the daemon had to drop. */
  leftOut(lines: number): void;
  /** Lines may be missing from now on: continue with pages. */
  lost(): void;
}

export interface FeedDeps {
  readonly streams: Pick<DaemonStreams, 'open'>;
  /** Undefined if the server was removed. */
  readonly serverState: (target: LogTarget) => Promise<ServerState | undefined>;
  readonly guard: Guard;
  readonly log: Pick<Log, 'warn'>;
}

/** Newest lines kept for those who join or return. */
const RECENT = { lines: 1_000, characters: 1024 * 1024 };
const PAUSES = { firstMs: 200, maxMs: 5_000 };

/** The new lines of an instance, received once for all who watch it. Connected only while someone does. */
export class LogFeed {
  readonly #deps: FeedDeps;
  readonly #target: LogTarget;
  readonly #component: string | undefined;
  readonly #watchers = new Set<Watcher>();
  readonly #over = new AbortController();
  #recent: StreamedLine[] = [];
  #characters = 0;
  #begin: number | undefined;
  #arrivals: (() => void)[] = [];
  #isOver = false;

  constructor(deps: FeedDeps, target: LogTarget, component: string | undefined) {
    this.#deps = deps;
    this.#target = target;
    this.#component = component;
    void this.#run();
  }

  /** Every line after this position is in `recent` or will be offered; undefined while the daemon is not connected. */
  get begin(): number | undefined {
    return this.#begin;
  }

  get recent(): readonly StreamedLine[] {
    return this.#recent;
  }

  /** The server was removed, and the log with it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the daemon is connected, or when the feed is over. */
  connected(): Promise<void> {
    if (this.#begin !== undefined || this.#isOver) return Promise.resolve();
    return new Promise((done) => this.#arrivals.push(done));
  }

  /** Returns a function that removes the watcher. */
  add(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  close(): void {
    this.#over.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const server = await this.#deps.serverState(this.#target);
        if (!server) return this.#end();
        if (isReachable(server)) {
          await this.#session();
          failures = 0;
        }
      } catch (err) {
        this.#deps.log.warn({ err, server_id: this.#target.serverId }, 'following a log failed; retrying');
      }
      this.#lose();
      await sleep(backoffMs(++failures, PAUSES), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Receives lines until the connection ends. */
  async #session(): Promise<void> {
    const { streams, guard } = this.#deps;
    const component = this.#component;
    await receiveStream(
      {
        ...this.#target,
        kind: 'logs',
        order: { mode: 'follow', ...(component !== undefined && { component }) },
      },
      {
        streams,
        guard,
        signal: this.#over.signal,
        receive: (data) => this.#receive(data),
      },
    );
  }

  #receive(data: Buffer): void {
    const message = readMessage(data);
    if ('from' in message) {
      this.#begin = message.from;
      this.#release();
    } else if ('left_out' in message) {
      // A watcher that joins later reads these lines from the disk of the server.
      this.#begin = Math.max(this.#begin ?? 0, message.position);
      this.#keep(this.#recent.filter((line) => line.position > message.position));
      for (const watcher of this.#watchers) watcher.leftOut(message.left_out);
    } else if ('lines' in message && this.#begin !== undefined) this.#take(message.lines);
  }

  #take(lines: readonly StreamedLine[]): void {
    for (const line of lines) {
      this.#recent.push(line);
      this.#characters += line.text.length;
    }
    while (this.#recent.length > RECENT.lines || this.#characters > RECENT.characters) {
      // In larger steps: removing one line after the other would move the rest each time.
      const step = Math.ceil(RECENT.lines / 4);
      this.#begin = this.#recent.slice(0, step).at(-1)?.position ?? this.#begin;
      this.#keep(this.#recent.slice(step));
    }
    const batch = new Batch(lines);
    for (const watcher of this.#watchers) watcher.offer(batch);
  }

  #keep(lines: StreamedLine[]): void {
    this.#recent = lines;
    this.#characters = lines.reduce((sum, { text }) => sum + text.length, 0);
  }

  #end(): void {
    this.#isOver = true;
    this.#lose();
    this.#release();
  }

  /** Lets those continue who wait for the daemon. */
  #release(): void {
    const arrivals = this.#arrivals;
    this.#arrivals = [];
    for (const done of arrivals) done();
  }

  #lose(): void {
    if (this.#begin === undefined) return;
    this.#begin = undefined;
    this.#keep([]);
    for (const watcher of this.#watchers) watcher.lost();
  }
}

/** Opens a feed with its first watcher and closes it after the last. */
export class LogFeeds {
  readonly #deps: FeedDeps;
  readonly #feeds = new Map<string, { readonly feed: LogFeed; users: number }>();
  /** For what the watchers of all feeds are sent. */
  readonly room = new SharedRoom();
  #watchers = 0;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  get guard(): Guard {
    return this.#deps.guard;
  }

  /** All who watch, of all feeds. */
  get watchers(): number {
    return this.#watchers;
  }

  /** `leave` must follow once. */
  join(target: LogTarget, component: string | undefined): { readonly feed: LogFeed; leave(): void } {
    const key = JSON.stringify([target.serverId, target.instance, component]);
    const known = this.#feeds.get(key) ?? { feed: new LogFeed(this.#deps, target, component), users: 0 };
    this.#feeds.set(key, known);
    known.users++;
    this.#watchers++;
    return {
      feed: known.feed,
      leave: () => {
        this.#watchers--;
        if (--known.users > 0) return;
        this.#feeds.delete(key);
        known.feed.close();
      },
    };
  }
}
