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
  out(text: string): void;
  note(text: string): void;
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
  /** Reads all of standard input. */
  readInput(): Promise<string>;
  /** Takes over the whole terminal until the screen is closed. Only if `live` and `interactive`. */
  openScreen(events: ScreenEvents): Screen;
}
