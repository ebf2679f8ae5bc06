import type { ContainerLine } from '@hortus/contract/resources/logs';

/** A row of the viewer: a line, or a place where lines are missing. */
export type LogRow =
  | { readonly key: string; readonly line: ContainerLine }
  | { readonly key: string; readonly leftOut: number };

export const MAX_ROWS = 100_000;
/** Rows dropped together when the buffer is full, so that not every new line moves all others. */
const DROPPED = 5_000;

/** The lines of the page in memory: at most 100,000, the oldest are dropped. */
export class LogBuffer {
  #rows: LogRow[] = [];
  #gaps = 0;
  /** Rows dropped at the top because there were too many; they can be read again. */
  dropped = 0;

  get rows(): readonly LogRow[] {
    return this.#rows;
  }

  /** Id of the oldest line, before which older ones can be read. */
  get oldest(): string | undefined {
    for (const row of this.#rows) if ('line' in row) return row.line.id;
    return undefined;
  }

  append(rows: readonly LogRow[]): void {
    for (const row of rows) this.#rows.push(row);
    const over = this.#rows.length - MAX_ROWS;
    if (over <= 0) return;
    const count = Math.min(this.#rows.length, over + DROPPED);
    this.#rows = this.#rows.slice(count);
    this.dropped += count;
  }

  /** Puts older lines before the others; returns how many were added, less if the buffer is full. */
  prepend(lines: readonly ContainerLine[]): number {
    const room = Math.max(0, MAX_ROWS - this.#rows.length);
    const added = room === 0 ? [] : lines.slice(-room).map(rowOf);
    this.#rows = [...added, ...this.#rows];
    return added.length;
  }

  gap(leftOut: number): LogRow {
    return { key: `gap ${++this.#gaps}`, leftOut };
  }
}

export const rowOf = (line: ContainerLine): LogRow => ({ key: line.id, line });

/** The rows as a text file: time, component, message. */
export const textOf = (rows: readonly LogRow[]): string =>
  rows
    .map((row) =>
      'line' in row ? `${row.line.at} ${row.line.component} ${row.line.text}\n` : `… ${row.leftOut} lines left out\n`,
    )
    .join('');
