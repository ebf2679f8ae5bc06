import type { Terminal } from './terminal.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything a command gets from outside. */
export interface World {
  readonly terminal: Terminal;
  readonly env: Environment;
  /** The person's home folder. */
  readonly home: string;
  now(): number;
  pause(ms: number): Promise<void>;
  /** What is said when the person interrupts from here on. */
  leaving(words: string): void;
}
