import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's code for a lock that somebody else has. */
const BUSY = 5;

export interface StateDirectory {
  readonly path: string;
  release(): void;
}

/**
 * Takes the state directory for this process alone. The lock is SQLite's own file lock on an otherwise empty file: the
 * operating system takes it back however the process dies, so a killed daemon never stands in the way of the next one.
 * Whoever drops the answer loses the lock to the garbage collector.
 */
export function takeStateDirectory(path: string): StateDirectory {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // Keys are kept in here; a directory that was there before may have been more open.
  chmodSync(path, 0o700);
  const pidFile = join(path, 'hortusd.pid');
  const lock = new DatabaseSync(join(path, 'hortusd.lock'), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== BUSY) throw error;
    throw new Error(`The state directory ${path} is in use by process ${holder(pidFile)}; stop that one first.`);
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return { path, release: () => lock.close() };
}

function holder(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
