import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const toDisk = promisify(fdatasync);

/**
 * Brings SQLite's write-ahead log to the disk, on a thread of the pool. SQLite would do it inside COMMIT, where the one
 * thread that serves everybody waits with it: milliseconds each on many a disk. What is committed meanwhile goes with the
 * next round, so there are never more rounds than the disk can do.
 */
export class LogSync {
  readonly #file: string;
  #descriptor: number | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(database: string) {
    this.#file = `${database}-wal`;
  }

  /**
   * Resolves when everything that has been committed by now is on the disk. After a failure it fails for ever: what a disk
   * has kept of the pages that it once refused, nobody can say.
   */
  synced(): Promise<void> {
    this.#next ??= this.#round();
    return this.#next;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  async #round(): Promise<void> {
    // One that runs already may have passed by what was committed a moment ago.
    await this.#running;
    this.#running = this.#next;
    this.#next = undefined;
    // Not before there is a log: SQLite makes it when it is first needed, and keeps it until it is closed.
    this.#descriptor ??= openSync(this.#file, 'r');
    await toDisk(this.#descriptor);
  }
}
