import type { RawTerminal } from './raw-terminal.ts';
import type { Terminal } from './terminal.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Other programs of the user's machine. */
export interface Programs {
  /** Starts a program that continues after this one; false if it does not exist. */
  start(program: string, args: readonly string[]): Promise<boolean>;
  /** Gives the terminal to a program and returns its exit code; undefined if it does not exist. */
  run(program: string, args: readonly string[]): Promise<number | undefined>;
}

/** External dependencies of a command. */
export interface World {
  readonly terminal: Terminal;
  /** Gives the bytes of standard input and output to a command. */
  rawTerminal(): RawTerminal;
  readonly programs: Programs;
  readonly env: Environment;
  /** Home folder of the user. */
  readonly home: string;
  now(): number;
  /** Resolves after the time, or when the signal fires. */
  pause(ms: number, over?: AbortSignal): Promise<void>;
  /** Sets the message printed on an interrupt. */
  leaving(words: string): void;
  /** Aborts at the first interrupt, instead of ending the program, for a command that must clean up. */
  interrupted(): AbortSignal;
}
