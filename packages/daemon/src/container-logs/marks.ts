import type { CollectedLine } from './stored-line.ts';

type Stream = CollectedLine['stream'];
/** Time of the last stored line of a stream, and how many lines of that time are stored. */
type Mark = readonly [at: string, count: number];
export type ContainerMarks = Partial<Record<Stream, Mark>>;

/** More containers than a component has at a time; older ones are gone from the engine. */
const MAX = 256;

/**
 * Knows how far each container was stored, by stream: a stream is in order by itself, but the engine may store two lines
 * of different streams in the reverse order of their times.
 */
export class Marks {
  readonly #containers: Map<string, ContainerMarks>;

  constructor(entries: Iterable<readonly [string, ContainerMarks]> = []) {
    this.#containers = new Map(entries);
  }

  of(container: string): ContainerMarks {
    return this.#containers.get(container) ?? {};
  }

  add({ container, stream, at }: Pick<CollectedLine, 'container' | 'stream' | 'at'>): void {
    const marks = this.of(container);
    const last = marks[stream];
    const count = last !== undefined && last[0] === at ? last[1] + 1 : 1;
    // Moved to the end, so that the first entry is the one unused for longest.
    this.#containers.delete(container);
    this.#containers.set(container, { ...marks, [stream]: [at, count] });
    if (this.#containers.size > MAX) this.#containers.delete(this.#containers.keys().next().value ?? '');
  }

  entries(): [string, ContainerMarks][] {
    return [...this.#containers];
  }
}

/**
 * Creates a test that skips lines which are already stored when a log is read again from `since`. Applies until a stream
 * has passed its mark; later lines are new, even if the clock was set back.
 */
export function skipStored(marks: ContainerMarks): (line: Pick<CollectedLine, 'stream' | 'at'>) => boolean {
  const left = new Map(Object.entries(marks) as [Stream, Mark][]);
  const seen = new Map<Stream, number>();
  return ({ stream, at }) => {
    const mark = left.get(stream);
    if (mark === undefined) return false;
    const [last, count] = mark;
    if (at < last) return true;
    const number = (seen.get(stream) ?? 0) + 1;
    seen.set(stream, number);
    if (at === last && number <= count) return true;
    left.delete(stream);
    return false;
  };
}

/** Overlap that covers lines of one stream which the engine stored after later ones of the other. */
const OVERLAP_SECONDS = 5;

/** Time to read a container's log from; undefined for its beginning. */
export function sinceOf({ stdout, stderr }: ContainerMarks): string | undefined {
  const last = [stdout, stderr]
    .flatMap((mark) => (mark ? [mark[0]] : []))
    .sort()
    .at(-1);
  if (last === undefined) return undefined;
  return `${Number(last.slice(0, 10)) - OVERLAP_SECONDS}${last.slice(10)}`;
}
