import type { Format, Terminal } from '../world/terminal.ts';
import { escaped } from './safe-text.ts';

export const jsonFormat: Format = {
  document: (value) => `${escaped(JSON.stringify(value, null, 2))}\n`,
  item: (value) => `${escaped(JSON.stringify(value))}\n`,
};

/** Prints the result of a command for programs: as JSON, or in the format of -o. */
export const printJson = (terminal: Terminal, document: unknown): void =>
  terminal.out((terminal.format ?? jsonFormat).document(document, terminal));

/** Prints one document of a stream on a line of its own. */
export const printJsonItem = (terminal: Terminal, document: unknown): void =>
  terminal.out((terminal.format ?? jsonFormat).item(document));
