import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readdir, rm, rmdir } from 'node:fs/promises';
import { Marks } from './marks.ts';
import {
  createSegment,
  type EarlierLines,
  findSegment,
  firstOf,
  readEarlier,
  readSegment,
  reopenSegment,
  type Segment,
} from './segment.ts';
import { type CollectedLine, encodeLine, type StoredLine } from './stored-line.ts';

export interface RingLimits {
  maxBytes: number;
  maxAgeMs: number;
}

export interface RingOptions {
  folder: string;
  component: string;
  limits(): RingLimits;
  now(): number;
}

const MAX_SEGMENT_BYTES = 1024 * 1024;
/** Files per ring at least, so that the oldest can be dropped without losing much. */
const MIN_SEGMENTS = 8;

/** After this time without a line, its file is closed until the next one. */
const IDLE_MS = 3_600_000;

const maxSegmentBytes = (maxBytes: number): number => Math.min(MAX_SEGMENT_BYTES, maxBytes / MIN_SEGMENTS);

/** The bounded log of one component on disk. One caller at a time appends; readers may run meanwhile. */
export class Ring {
  readonly #options: RingOptions;
  /** Oldest first; the last one is open for appending. */
  #segments: Segment[] = [];
  #file: FileHandle | undefined;
  #marks = new Marks();
  #last: number | undefined;
  /** All lines that were ever appended. */
  #count = 0;
  #dropped: EarlierLines = { last: 0, count: 0 };

  private constructor(options: RingOptions) {
    this.#options = options;
  }

  static async open(options: RingOptions): Promise<Ring> {
    const ring = new Ring(options);
    await ring.#load();
    return ring;
  }

  /** Position of its last line; undefined if it has none. */
  get last(): number | undefined {
    return this.#last;
  }

  /** Lines that it no longer has. */
  get dropped(): EarlierLines {
    return this.#dropped;
  }

  get marks(): Marks {
    return this.#marks;
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0;
  }

  /** Appends lines with the positions from `first` on. If that fails, none of them is stored. */
  async append(first: number, lines: readonly CollectedLine[]): Promise<void> {
    const { segment, file } = await this.#writable(first);
    const encoded = Buffer.from(lines.map((line, index) => encodeLine(first + index, line)).join(''));
    try {
      for (let at = 0; at < encoded.length; ) at += (await file.write(encoded, at)).bytesWritten;
    } catch (error) {
      // Part of it may be written, for example on a full disk.
      await file.truncate(segment.bytes).catch(() => undefined);
      throw error;
    }
    segment.bytes += encoded.length;
    segment.changedAt = this.#options.now();
    for (const line of lines) this.#marks.add(line);
    this.#last = first + lines.length - 1;
    this.#count += lines.length;
  }

  /** Yields the lines with positions in (after, upTo], in order or backwards. `changedSince` leaves out older files. */
  async *read({ after, upTo, backwards, changedSince }: RingRange): AsyncGenerator<StoredLine> {
    const all = this.#segments;
    const wanted = all.filter((segment, index) => {
      const next = all[index + 1];
      return (
        segment.first <= upTo && (next === undefined || next.first > after + 1) && segment.changedAt >= changedSince
      );
    });
    if (backwards) wanted.reverse();
    for (const segment of wanted)
      yield* await readSegment(segment, this.#options.component, { after, upTo, backwards });
  }

  /** Drops what is beyond the limits. Removes the folder of an empty ring. */
  async tidy(): Promise<void> {
    const { limits, now, folder } = this.#options;
    const { maxBytes, maxAgeMs } = limits();
    let bytes = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
    for (const segment of [...this.#segments]) {
      const isOld = segment.changedAt < now() - maxAgeMs;
      // The newest file still grows.
      const isTooMuch = bytes > maxBytes - maxSegmentBytes(maxBytes) && segment !== this.#segments.at(-1);
      if (!isOld && !isTooMuch) break;
      if (segment === this.#segments.at(-1)) await this.close();
      const next = this.#segments[1];
      // Before the file is gone: a reader that misses it must find out.
      this.#dropped = next ? await readEarlier(next) : this.#stored;
      await rm(segment.path, { force: true });
      this.#segments = this.#segments.filter((item) => item !== segment);
      bytes -= segment.bytes;
    }
    if ((this.#segments.at(-1)?.changedAt ?? 0) < now() - IDLE_MS) await this.close();
    if (this.isEmpty) await rmdir(folder).catch(() => undefined);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #load(): Promise<void> {
    const { folder } = this.#options;
    const names = await readdir(folder).catch(() => []);
    const found = names.flatMap((name) => {
      const first = firstOf(name);
      return first === undefined ? [] : [{ name, first }];
    });
    found.sort((a, b) => a.first - b.first);
    this.#segments = await Promise.all(found.map(({ name, first }) => findSegment(folder, name, first)));
    if (this.#segments[0]) this.#dropped = await readEarlier(this.#segments[0]);
    for (;;) {
      const newest = this.#segments.at(-1);
      if (newest === undefined) return;
      const opened = await reopenSegment(newest);
      if (opened === undefined) {
        // The process ended while it created this file.
        await rm(newest.path, { force: true });
        this.#segments.pop();
        continue;
      }
      this.#file = opened.file;
      this.#marks = opened.marks;
      this.#last = opened.last ?? newest.first - 1;
      this.#count = opened.count;
      return;
    }
  }

  get #stored(): EarlierLines {
    return { last: this.#last ?? 0, count: this.#count };
  }

  /** Returns the file to append to; begins a new one if the newest is full or spans a large part of the age limit. */
  async #writable(first: number): Promise<{ segment: Segment; file: FileHandle }> {
    const { limits, now, folder } = this.#options;
    const { maxBytes, maxAgeMs } = limits();
    const newest = this.#segments.at(-1);
    const isFull = newest && newest.bytes >= maxSegmentBytes(maxBytes);
    const isOld = newest && newest.begunAt < now() - maxAgeMs / MIN_SEGMENTS;
    if (newest && !isFull && !isOld) {
      this.#file ??= await open(newest.path, 'a');
      return { segment: newest, file: this.#file };
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { segment, file } = await createSegment(folder, first, {
      marks: this.#marks,
      earlier: this.#stored,
      now: now(),
    });
    await this.close();
    this.#file = file;
    this.#segments = [...this.#segments, segment];
    await this.tidy();
    return { segment, file };
  }
}

export interface RingRange {
  after: number;
  upTo: number;
  backwards: boolean;
  /** Milliseconds since 1970. */
  changedSince: number;
}
