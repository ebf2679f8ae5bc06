import { spawnSync } from 'node:child_process';

interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** Standard input and output as bytes, for a program that runs elsewhere. */
export interface RawTerminal {
  /** Whether a person sits at it: both input and output are a terminal. */
  readonly hasTerminal: boolean;
  readonly size: TerminalSize;
  /** Passes keys on without interpreting them, until `release`; nothing without a terminal. */
  takeOver(resized: (size: TerminalSize) => void): void;
  /** Reads input until `release`. Waits for each promise before it reads more. */
  read(input: (data: Buffer) => Promise<void>, ended: () => void): void;
  /** Resolves when the bytes were taken. */
  write(stream: 'stdout' | 'stderr', data: Uint8Array | string): Promise<void>;
  /** Restores the terminal; idempotent. */
  release(): void;
}

type Own = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'on' | 'off' | 'exit'>;

/** Signals that end the program; the terminal is restored before. */
const ENDINGS = [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

/**
 * Stops the local terminal from adding a carriage return to each line feed, which Node's raw mode leaves on: full-screen
 * programs move the cursor down with a line feed. Restored with the rest by `setRawMode(false)` and at the exit.
 */
const sendAsIs = () => void spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });

export function rawTerminal(own: Own, keepOutput: () => void = sendAsIs): RawTerminal {
  const { stdin, stdout } = own;
  const hasTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const undo: (() => void)[] = [];
  const release = () => {
    for (const step of undo.splice(0).reverse()) step();
  };
  const sizeOf = () => ({ cols: stdout.columns || 80, rows: stdout.rows || 24 });
  return {
    hasTerminal,
    get size() {
      return sizeOf();
    },
    takeOver(resized) {
      if (!hasTerminal) return;
      const changed = () => resized(sizeOf());
      stdin.setRawMode(true);
      keepOutput();
      stdout.on('resize', changed);
      // Also runs after an uncaught error.
      own.on('exit', release);
      undo.push(() => {
        stdin.setRawMode(false);
        stdout.off('resize', changed);
        own.off('exit', release);
      });
      for (const [signal, code] of ENDINGS) {
        const end = () => own.exit(code);
        own.on(signal, end);
        undo.push(() => own.off(signal, end));
      }
    },
    read(input, ended) {
      let passed: Promise<void> = Promise.resolve();
      const onReceived = (data: Buffer) => {
        stdin.pause();
        passed = input(data).then(() => {
          if (undo.length > 0) stdin.resume();
        });
      };
      // The end may be known before the last piece was passed on.
      const finished = () => void passed.then(ended);
      stdin.on('data', onReceived);
      stdin.on('end', finished);
      stdin.resume();
      undo.push(() => {
        stdin.off('data', onReceived);
        stdin.off('end', finished);
        stdin.pause();
        // A pipe that stays open must not keep the program running.
        stdin.unref?.();
      });
    },
    write: (stream, data) =>
      new Promise((done, fail) => {
        own[stream].write(data, (error) => (error ? fail(error) : done()));
      }),
    release,
  };
}
