import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContainerMarks, Marks } from './marks.ts';
import { decodeLine, positionOf, type StoredLine } from './stored-line.ts';

/** Lines of a ring before one of its files: the position of the last one, and how many there were. */
export interface EarlierLines {
  readonly last: number;
  readonly count: number;
}

/** Lines that are parsed without a pause for other work. */
const PAUSE_EVERY = 1_000;

const NONE: EarlierLines = { last: 0, count: 0 };

/**
 * A file of the ring. Its first line has the marks of all lines before it, so that only the newest file is read at start,
 * and their number, so that a reader can be told how many were dropped.
 */
export interface Segment {
  readonly path: string;
  /** No line in it has a lower position. */
  readonly first: number;
  bytes: number;
  /** When its first and its last line were written. */
  readonly begunAt: number;
  changedAt: number;
}

const NAME = /^(\d{16})\.log$/;

export const firstOf = (name: string): number | undefined => {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

export async function createSegment(
  folder: string,
  first: number,
  { marks, earlier, now }: { marks: Marks; earlier: EarlierLines; now: number },
): Promise<{ segment: Segment; file: FileHandle }> {
  const path = join(folder, `${String(first).padStart(16, '0')}.log`);
  const file = await open(path, 'ax', 0o600);
  try {
    const header = `${JSON.stringify({ marks: marks.entries(), earlier })}\n`;
    await file.writeFile(header);
    return { file, segment: { path, first, bytes: Buffer.byteLength(header), begunAt: now, changedAt: now } };
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}

export async function findSegment(folder: string, name: string, first: number): Promise<Segment> {
  const path = join(folder, name);
  const { size, mtimeMs, birthtimeMs } = await stat(path);
  return { path, first, bytes: size, begunAt: Math.min(birthtimeMs || mtimeMs, mtimeMs), changedAt: mtimeMs };
}

/**
 * Opens the newest file for appending. Drops a torn line at its end, which is collected again. Undefined if it has no
 * header; it then has no lines.
 */
export async function reopenSegment(
  segment: Segment,
): Promise<{ file: FileHandle; marks: Marks; last: number | undefined; count: number } | undefined> {
  const content = await readFile(segment.path);
  let end = content.indexOf(10) + 1;
  const header = readHeader(content.toString('utf8', 0, end));
  if (header === undefined) return undefined;
  const { marks, earlier } = header;
  let { count } = earlier;
  let last: number | undefined;
  for (let next = content.indexOf(10, end) + 1; next > 0; next = content.indexOf(10, end) + 1) {
    const line = decodeLine(content.toString('utf8', end, next), '');
    if (line === undefined || line.position <= (last ?? 0)) break;
    marks.add(line);
    last = line.position;
    count++;
    end = next;
    if (count % PAUSE_EVERY === 0) await new Promise(setImmediate);
  }
  if (end < content.length) await truncate(segment.path, end);
  segment.bytes = end;
  const file = await open(segment.path, constants.O_WRONLY | constants.O_APPEND);
  return { file, marks, last, count };
}

/** Undefined if the line is torn. Files of older daemons do not say what was before them. */
function readHeader(json: string): { marks: Marks; earlier: EarlierLines } | undefined {
  try {
    const { marks, earlier = NONE } = JSON.parse(json) as {
      marks: [string, ContainerMarks][];
      earlier?: EarlierLines;
    };
    return { marks: new Marks(marks), earlier };
  } catch {
    return undefined;
  }
}

/** Reads which lines the ring had before this file. */
export async function readEarlier({ path }: Segment): Promise<EarlierLines> {
  const content = await readFile(path).catch(() => Buffer.of());
  return readHeader(content.toString('utf8', 0, content.indexOf(10) + 1))?.earlier ?? NONE;
}

/** Reads the lines with positions in (after, upTo]; in reverse if `backwards`. A file that was dropped meanwhile is empty. */
export async function readSegment(
  { path }: Segment,
  component: string,
  { after, upTo, backwards }: { after: number; upTo: number; backwards: boolean },
): Promise<Iterable<StoredLine>> {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const raw = content.split('\n');
  // After the last line end there is nothing, or a line that is being written.
  raw.pop();
  const wanted = raw.filter((json) => {
    const position = positionOf(json);
    return position > after && position <= upTo;
  });
  if (backwards) wanted.reverse();
  return decoded(wanted, component);
}

/** Lazily: a reader of the last lines needs few of them. */
function* decoded(wanted: readonly string[], component: string): Generator<StoredLine> {
  for (const json of wanted) {
    const line = decodeLine(json, component);
    if (line) yield line;
  }
}
