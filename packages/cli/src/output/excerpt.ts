import { excerpt as marked } from '@hortus/template/excerpt';
import type { Terminal } from '../terminal.ts';
import { paint } from './paint.ts';
import { safeText } from './safe-text.ts';

/** The line of a text that something is said about, with a mark under the place; nothing if there is no such line. */
export function excerpt(terminal: Terminal, source: string, at: { line: number; column: number }): string {
  const [line, mark] = safeText(marked(source, at) ?? '').split('\n');
  return line && mark ? `${line}\n${paint(terminal, 'warn', mark)}\n` : '';
}
