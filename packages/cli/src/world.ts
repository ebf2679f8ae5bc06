import type { RawTerminal } from './raw-terminal.ts';
import type { Terminal } from './terminal.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** External dependencies of a command. */
export interface World {
  readonly terminal: Terminal;
  /** Gives the bytes of standard input and output to a command. */
  rawTerminal(): RawTerminal;
  readonly env: Environment;
  /** Home folder of the user. */
  readonly home: string;
  now(): number;
  /** Resolves after the time, or when the signal fires. */
  pause(ms: number, over?: AbortSignal): Promise<void>;
  /** Sets the message printed on an interrupt. */
  leaving(words: string): void;
}
