import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../world/terminal.ts';
import { paint } from './paint.ts';
import { safeLine } from './safe-text.ts';

export interface Column<Row> {
  readonly title: string;
  /** Untrusted text; sanitized here. */
  readonly text?: (row: Row) => string;
  /** Text with colour sequences. */
  readonly painted?: (row: Row) => string;
  /** Aligns numbers by their end. */
  readonly right?: boolean;
}

const widthOf = (cell: string): number => [...stripVTControlCharacters(cell)].length;

/** Aligns columns. On a terminal the last column is cut to the width; a pipe gets everything. */
export function table<Row>(terminal: Terminal, columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map((column) => column.painted?.(row) ?? safeLine(column.text?.(row) ?? '')));
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...cells.map((line) => widthOf(line[at] ?? ''))),
  );
  const lined = (line: readonly string[]) =>
    line
      .map((cell, at) => {
        const room = ' '.repeat((widths[at] ?? 0) - widthOf(cell));
        if (columns[at]?.right) return room + cell;
        if (at < line.length - 1) return cell + room;
        const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
        return cut(cell, terminal.width - before);
      })
      .join('  ')
      .trimEnd();
  const head = paint(terminal, 'dim', lined(columns.map(({ title }) => title)));
  return `${[head, ...cells.map(lined)].join('\n')}\n`;
}

/** Cuts plain cells only, because half an escape sequence is worse than a long line. */
export function cut(cell: string, width: number): string {
  if (widthOf(cell) <= width || stripVTControlCharacters(cell) !== cell) return cell;
  return width < 10 ? cell : `${[...cell].slice(0, width - 1).join('')}…`;
}

/** Cuts a line with colour sequences to a width; the sequences stay whole. */
export function cropped(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  let room = Math.max(0, width - 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour sequences begin with one
  const parts = line.split(/(\u001b\[[\d;]*m)/).map((part, at) => {
    if (at % 2 === 1) return part;
    const shown = [...part].slice(0, room);
    room -= shown.length;
    return shown.join('');
  });
  return `${parts.join('')}…`;
}

/** A value with colour sequences; other values are sanitized. */
interface Painted {
  readonly painted: string;
}
type Fact = readonly [label: string, value: string | Painted | null | undefined];

/** Prints one label and value per line; omits empty values. */
export function facts(terminal: Terminal, rows: readonly Fact[]): string {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...shown.map(([label]) => label.length));
  const text = (value: Fact[1]) => (typeof value === 'object' ? value?.painted : safeLine(value ?? ''));
  return shown.map(([label, value]) => `${paint(terminal, 'dim', label.padEnd(width))}  ${text(value)}\n`).join('');
}
