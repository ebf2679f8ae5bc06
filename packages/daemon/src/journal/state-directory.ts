import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's error code for a lock held by another process. */
const BUSY = 5;

export interface StateDirectory {
  readonly path: string;
  release(): void;
}

/**
 * Locks the state directory for this process. Uses SQLite's file lock on an otherwise empty file: the operating system
 * releases it however the process dies, so a killed daemon never blocks the next one. Keep the result: the garbage
 * collector would release the lock.
 */
export function takeStateDirectory(path: string): StateDirectory {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // It contains keys; an existing directory may have a more open mode.
  chmodSync(path, 0o700);
  const pidFile = join(path, 'hortusd.pid');
  const lock = new DatabaseSync(join(path, 'hortusd.lock'), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== BUSY) throw error;
    throw new Error(`The state directory ${path} is in use by process ${holder(pidFile)}; stop that process first.`);
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
