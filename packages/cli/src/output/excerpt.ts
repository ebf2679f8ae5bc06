import type { Terminal } from '../terminal.ts';
import { paint } from './paint.ts';
import { safeText } from './safe-text.ts';

interface Place {
  readonly line: number;
  readonly column: number;
}

const WIDEST = 120;

/** The line of a text that something is said about, with a mark under the place. */
export function excerpt(terminal: Terminal, source: string, { line, column }: Place): string {
  const text = source.split('\n')[line - 1];
  if (text === undefined) return '';
  // A long line is shown around the place only.
  const from = column > WIDEST ? column - WIDEST / 2 : 0;
  const shown = safeText(text.slice(from, from + WIDEST)).replaceAll('\t', ' ');
  const number = String(line).padStart(5);
  const mark = `${' '.repeat(number.length)} | ${' '.repeat(Math.max(column - 1 - from, 0))}^`;
  return `${paint(terminal, 'dim', `${number} | `)}${shown}\n${paint(terminal, 'dim', mark)}\n`;
}
