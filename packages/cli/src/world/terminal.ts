import type { Screen, ScreenEvents } from './screen.ts';

/**
 * Input and output of a command. Results go to `out` and everything else to `note`, so that a pipe carries only results.
 * Tests use a scripted terminal; the real one is node-terminal.ts.
 */
export interface Terminal {
  /** True if the user can be asked. */
  readonly interactive: boolean;
  /** True if output can be redrawn in place. */
  readonly live: boolean;
  readonly colour: boolean;
  readonly width: number;
  /** Format of results for programs; JSON if absent. */
  readonly format?: Format;
  out(text: string): void;
  note(text: string): void;
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
  /** Reads all of standard input. */
  readInput(): Promise<string>;
  /** Takes over the whole terminal until the screen is closed. Only if `live` and `interactive`. */
  openScreen(events: ScreenEvents): Screen;
}

/** Writes the documents of a command as text. */
export interface Format {
  /** The whole result of a command. */
  document(value: unknown, terminal: Terminal): string;
  /** One of many documents of a stream. */
  item(value: unknown): string;
}
