import { excerpt as marked } from '@hortus/template/source/excerpt';
import type { Terminal } from '../world/terminal.ts';
import { paint } from './paint.ts';
import { safeText } from './safe-text.ts';

/** Returns a line of the text with a marker under the column; empty if the line does not exist. */
export function excerpt(terminal: Terminal, source: string, at: { line: number; column: number }): string {
  const [line, mark] = safeText(marked(source, at) ?? '').split('\n');
  return line && mark ? `${line}\n${paint(terminal, 'warn', mark)}\n` : '';
}
