import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const toDisk = promisify(fdatasync);

/**
 * Syncs SQLite's write-ahead log to disk, on a thread of the pool. SQLite would do it inside COMMIT and block the main
 * thread, for milliseconds on many disks.
 */
export class LogSync {
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(database: string) {
    this.#file = `${database}-wal`;
  }

  /** Resolves when everything that was committed before is on disk. */
  async sync(): Promise<void> {
    // Opened late: SQLite creates the log when it is first needed, and keeps it until it is closed.
    this.#descriptor ??= openSync(this.#file, 'r');
    await toDisk(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}
