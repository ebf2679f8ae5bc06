import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContainerLogLevel, logMatcher } from '@hortus/contract/protocol/log-filter';
import { Serial } from '../concurrency/turns.ts';
import type { ContainerMarks } from './marks.ts';
import { Ring, type RingLimits } from './ring.ts';
import { type CollectedLine, type StoredLine, secondsText } from './stored-line.ts';

export interface InstanceLogOptions {
  folder: string;
  limits(component: string): RingLimits;
  now?(): number;
}

export interface LogQuery {
  component?: string | undefined;
  q?: string | undefined;
  level?: ContainerLogLevel | undefined;
  /** Milliseconds since 1970. */
  since?: number | undefined;
  until?: number | undefined;
  /** With `after`: the first lines beyond this position, instead of the last lines. */
  after?: number | undefined;
  /** Only lines before this position. */
  before?: number | undefined;
  limit: number;
}

export interface LogPage {
  /** Oldest first. */
  lines: StoredLine[];
  /** Whether there are further lines in the direction of reading. */
  more: boolean;
  /** Position of the last line of the instance when the page was read. */
  end: number;
  /**
   * Lines between `after` and the end of the page that were dropped before they were read. With several components and a
   * query for one of them, at most so many.
   */
  dropped: number;
}

type Listener = (lines: readonly StoredLine[]) => void;

/** Bytes of text in one page. */
const PAGE_BYTES = 2 * 1024 * 1024;
/** Longest reading without a pause for other work. */
const PAUSE_EVERY = 2_000;

/** The logs of one instance: a ring for each component, and positions in the order of arrival for all of them. */
export class InstanceLog {
  readonly #options: Required<InstanceLogOptions>;
  readonly #rings = new Map<string, Ring>();
  readonly #listeners = new Set<{ component: string | undefined; listener: Listener }>();
  /** Appends one after the other, so that a line never becomes readable after a later one. */
  readonly #appending = new Serial();
  #end = 0;

  private constructor(options: InstanceLogOptions) {
    this.#options = { now: Date.now, ...options };
  }

  static async open(options: InstanceLogOptions): Promise<InstanceLog> {
    const log = new InstanceLog(options);
    const found = await readdir(options.folder, { withFileTypes: true }).catch(() => []);
    for (const entry of found) if (entry.isDirectory()) await log.#ring(entry.name);
    const lasts = [...log.#rings.values()].flatMap(({ last }) => last ?? []);
    // By the clock if nothing is left, so that a position is never used again.
    log.#end = lasts.length > 0 ? Math.max(...lasts) : log.#options.now() * 1_024;
    return log;
  }

  /** Position of the last line. */
  get end(): number {
    return this.#end;
  }

  get components(): string[] {
    return [...this.#rings.keys()];
  }

  /** How far a container's output is stored. */
  async marksOf(component: string, container: string): Promise<ContainerMarks> {
    return (await this.#ring(component)).marks.of(container);
  }

  /** Stores lines and passes them to the followers. */
  append(component: string, lines: readonly CollectedLine[]): Promise<void> {
    return this.#appending.run(async () => {
      if (lines.length === 0) return;
      const ring = await this.#ring(component);
      const first = this.#end + 1;
      await ring.append(first, lines);
      this.#end += lines.length;
      if (this.#listeners.size === 0) return;
      const stored = lines.map((line, index) => ({ ...line, position: first + index, component }));
      for (const listener of this.#listeners)
        if (listener.component === undefined || listener.component === component) listener.listener(stored);
    });
  }

  /** Calls the listener for every line after the returned position. */
  follow(component: string | undefined, listener: Listener): { from: number; stop(): void } {
    const entry = { component, listener };
    this.#listeners.add(entry);
    return { from: this.#end, stop: () => this.#listeners.delete(entry) };
  }

  async read(query: LogQuery): Promise<LogPage> {
    const end = this.#end;
    if (query.limit === 0) return { lines: [], more: false, end, dropped: 0 };
    const { component, since = 0, until, after, before, limit } = query;
    const backwards = after === undefined;
    const matches = logMatcher(query);
    const to = until === undefined ? undefined : secondsText(until);
    const range = { after: after ?? -1, upTo: Math.min(end, (before ?? Number.POSITIVE_INFINITY) - 1), backwards };
    const names = component === undefined ? this.components : [component];
    const begins = new Map<string, string>();
    const sources = names.flatMap((name) => {
      const ring = this.#rings.get(name);
      const changedSince = Math.max(since, this.#oldest(name));
      begins.set(name, secondsText(changedSince));
      return ring ? [ring.read({ ...range, changedSince })] : [];
    });
    const lines: StoredLine[] = [];
    let bytes = 0;
    let seen = 0;
    let taken = 0;
    let more = false;
    for await (const line of merged(sources, backwards)) {
      if (++seen % PAUSE_EVERY === 0) await new Promise(setImmediate);
      if (line.at < (begins.get(line.component) ?? '') || (to !== undefined && line.at > to) || !matches(line))
        continue;
      more = lines.length === limit || bytes > PAGE_BYTES;
      if (more) break;
      lines.push(line);
      bytes += line.text.length;
      taken = seen;
    }
    const upTo = more ? (lines.at(-1)?.position ?? range.upTo) : range.upTo;
    // Not for a reader that begins with the oldest line.
    const dropped = after ? this.#dropped(names, { after, upTo, found: more ? taken : seen }) : 0;
    return { lines: ordered(lines, backwards), more, end, dropped };
  }

  /** Every position in (after, upTo] had a line; those that were not found are gone, or of another component. */
  #dropped(names: readonly string[], { after, upTo, found }: { after: number; upTo: number; found: number }): number {
    const dropped = names.flatMap((name) => this.#rings.get(name)?.dropped ?? []);
    const last = Math.max(...dropped.map((lines) => lines.last), 0);
    const count = dropped.reduce((sum, lines) => sum + lines.count, 0);
    return Math.max(0, Math.min(upTo - after - found, last - after, count));
  }

  /** Drops what is beyond the limits; true if nothing is left. */
  tidy(): Promise<boolean> {
    return this.#appending.run(async () => {
      for (const [name, ring] of this.#rings) {
        await ring.tidy();
        if (ring.isEmpty) this.#rings.delete(name);
      }
      if (this.#rings.size > 0 || this.#listeners.size > 0) return false;
      await rmdir(this.#options.folder).catch(() => undefined);
      return true;
    });
  }

  async close(): Promise<void> {
    await this.#appending.ended();
    for (const ring of this.#rings.values()) await ring.close();
  }

  #oldest(component: string): number {
    return this.#options.now() - this.#options.limits(component).maxAgeMs;
  }

  async #ring(component: string): Promise<Ring> {
    const known = this.#rings.get(component);
    if (known) return known;
    const { folder, limits, now } = this.#options;
    const opened = await Ring.open({
      folder: join(folder, component),
      component,
      limits: () => limits(component),
      now,
    });
    // Another caller may have opened it meanwhile.
    const first = this.#rings.get(component);
    if (first) {
      await opened.close();
      return first;
    }
    this.#rings.set(component, opened);
    return opened;
  }
}

const ordered = (lines: StoredLine[], backwards: boolean): StoredLine[] => (backwards ? lines.reverse() : lines);

/** Merges lines that are each in the order of their positions. */
async function* merged(sources: AsyncGenerator<StoredLine>[], backwards: boolean): AsyncGenerator<StoredLine> {
  const heads = await Promise.all(sources.map(async (source) => ({ source, head: await source.next() })));
  for (;;) {
    let best: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.head.done) continue;
      const { position } = head.head.value;
      const reigning = best?.head.value?.position ?? Number.NaN;
      if (best === undefined || (backwards ? position > reigning : position < reigning)) best = head;
    }
    if (best === undefined) return;
    yield best.head.value as StoredLine;
    best.head = await best.source.next();
  }
}
