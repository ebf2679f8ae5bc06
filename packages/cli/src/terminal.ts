/**
 * The person's end of a command. Results go to `out` and everything else to `note`, so that a pipe carries results only.
 * Tests give a scripted one; the real one is node-terminal.ts.
 */
export interface Terminal {
  /** Somebody sits there and can be asked. */
  readonly interactive: boolean;
  /** What was written can be drawn again in place. */
  readonly live: boolean;
  readonly colour: boolean;
  readonly width: number;
  out(text: string): void;
  note(text: string): void;
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
  /** Everything piped in. */
  readInput(): Promise<string>;
}
