import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's code for a lock that somebody else has. */
const BUSY = 5;

/**
 * Holds the data directory for one process. The lock is SQLite's own file lock on an otherwise empty file: the operating
 * system takes it back when the process dies, however it dies, so nothing stale can be left in the way. Whoever drops
 * the answer loses the lock to the garbage collector.
 */
export function lockDataDirectory(directory: string): { release(): void } {
  const pidFile = join(directory, 'hortus.pid');
  const lock = new DatabaseSync(join(directory, 'hortus.lock'), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== BUSY) throw error;
    throw new Error(`The data directory ${directory} is in use by process ${holder(pidFile)}; stop that one first.`);
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return { release: () => lock.close() };
}

function holder(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
