import type { ContainerLogLevel } from '@hortus/contract/protocol/log-filter';
import type { ContainerLine } from '@hortus/contract/resources/logs';
import { client } from '../../../api/client.ts';
import { problemText } from '../../../api/problem.ts';
import { LogBuffer, type LogRow, rowOf } from './log-buffer.ts';

export interface LogWish {
  readonly instanceId: string;
  readonly component?: string | undefined;
  readonly level?: ContainerLogLevel | undefined;
  readonly q?: string | undefined;
  /** Id of the line to begin with; without it the last lines. */
  readonly at?: string | undefined;
}

/** What the viewer shows; a new object for every change. */
export interface LogView {
  readonly rows: readonly LogRow[];
  /** Rows that were put before or taken away from the beginning so far; the scroll position follows. */
  readonly shift: number;
  readonly state: 'connecting' | 'live' | 'waiting' | 'failed';
  readonly problem: string | undefined;
  readonly hasOlder: boolean;
}

const FIRST_LINES = 1_000;
const OLDER_LINES = 2_000;
/** Lines are shown together, at most so often. */
const GATHER_MS = 50;

/** Follows the log of an instance and keeps its lines. */
export class LogSource {
  readonly #wish: LogWish;
  readonly #buffer = new LogBuffer();
  readonly #leaving = new AbortController();
  readonly #listeners = new Set<() => void>();
  #arrived: LogRow[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  view: LogView = { rows: [], shift: 0, state: 'connecting', problem: undefined, hasOlder: true };

  constructor(wish: LogWish) {
    this.#wish = wish;
    void this.#follow();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  close(): void {
    this.#leaving.abort();
    clearTimeout(this.#timer);
  }

  /** Reads the lines before the oldest one, unless that is under way. */
  async readOlder(): Promise<void> {
    const before = this.#buffer.oldest;
    if (this.#isReading || before === undefined || !this.view.hasOlder) return;
    this.#isReading = true;
    try {
      const { data } = await client.call('logs.instance', {
        params: { id: this.#wish.instanceId },
        query: { ...this.#filter(), before, tail: OLDER_LINES },
        signal: this.#leaving.signal,
      });
      const added = this.#buffer.prepend(data.lines);
      this.#show({ shift: this.view.shift + added, hasOlder: data.older !== null && added === data.lines.length });
    } catch {
      // The next scroll to the top tries again.
    } finally {
      this.#isReading = false;
    }
  }

  async #follow(): Promise<void> {
    const { instanceId, at } = this.#wish;
    const begin = at === undefined ? { tail: FIRST_LINES } : {};
    const stream = client.stream('logs.instance', {
      params: { id: instanceId },
      query: { ...this.#filter(), ...begin },
      signal: this.#leaving.signal,
      // The stream continues after this id, hence with the wanted line.
      ...(at !== undefined && { lastEventId: String(Math.max(0, Number(at) - 1)) }),
      onOpen: () => this.#show({ state: 'live', problem: undefined }),
    });
    try {
      for await (const { event, data } of stream) this.#received(event, data);
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.#show({ state: 'failed', problem: problemText(error) });
    }
  }

  #received(event: string, data: unknown): void {
    if (event === 'waiting') {
      this.#show({ state: 'waiting' });
      return;
    }
    if (this.view.state === 'waiting') this.#show({ state: 'live' });
    if (event === 'line') this.#arrived.push(rowOf(data as ContainerLine));
    else if (event === 'left_out') this.#arrived.push(this.#buffer.gap((data as { lines: number }).lines));
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  #flush(): void {
    this.#timer = undefined;
    const before = this.#buffer.dropped;
    this.#buffer.append(this.#arrived);
    this.#arrived = [];
    const dropped = this.#buffer.dropped - before;
    this.#show({ shift: this.view.shift - dropped, ...(dropped > 0 && { hasOlder: true }) });
  }

  #filter() {
    const { component, level, q } = this.#wish;
    return { ...(component && { component }), ...(level && { level }), ...(q && { q }) };
  }

  #show(change: Partial<LogView>): void {
    this.view = { ...this.view, ...change, rows: this.#buffer.rows };
    for (const listener of this.#listeners) listener();
  }
}
