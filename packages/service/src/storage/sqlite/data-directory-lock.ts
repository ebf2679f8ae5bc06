import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's code for a lock held by another process. */
const BUSY = 5;

/**
 * Locks the data directory for one process. Uses SQLite's file lock on an otherwise empty file: the operating system
 * releases it when the process ends for any reason, so there are no stale locks. Keep the returned object: when it is
 * garbage-collected, the lock is lost.
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
