import type { Terminal } from '../terminal.ts';

/** Prints the JSON document of a command. */
export const printJson = (terminal: Terminal, document: unknown): void =>
  terminal.out(`${JSON.stringify(document, null, 2)}\n`);
