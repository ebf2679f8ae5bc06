import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../world/terminal.ts';

/** Redraws lines at the end of a terminal in place. */
export class LiveBlock {
  readonly #terminal: Terminal;
  #height = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(lines: readonly string[]): void {
    const up = this.#height > 0 ? `\u001b[${this.#height}A\r\u001b[J` : '';
    this.#terminal.out(`${up}${lines.join('\n')}\n`);
    // A long line wraps over several rows.
    const rows = (line: string) =>
      Math.max(1, Math.ceil([...stripVTControlCharacters(line)].length / this.#terminal.width));
    this.#height = lines.reduce((sum, line) => sum + rows(line), 0);
  }
}
