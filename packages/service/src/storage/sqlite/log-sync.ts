import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const toDisk = promisify(fdatasync);

/**
 * Brings SQLite's write-ahead log to the disk, on a thread of the pool. SQLite would do it inside COMMIT, where the one
 * thread that serves everybody waits with it: milliseconds each time on many a disk.
 */
export class LogSync {
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(database: string) {
    this.#file = `${database}-wal`;
  }

  /** Resolves when everything that was committed before is on the disk. */
  async sync(): Promise<void> {
    // Not before there is a log: SQLite makes it when it is first needed, and keeps it until it is closed.
    this.#descriptor ??= openSync(this.#file, 'r');
    await toDisk(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}
