import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../options/config-error.ts';

/** SQLite's error code for a lock held by another process. */
const BUSY = 5;

const PID_FILE = 'hortusd.pid';
const LOCK_FILE = 'hortusd.lock';

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
  const pidFile = join(path, PID_FILE);
  const lock = new DatabaseSync(join(path, LOCK_FILE), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== BUSY) throw error;
    throw new ConfigError(
      `The state directory ${path} is in use by process ${holder(pidFile)}; stop that process first.`,
    );
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return { path, release: () => lock.close() };
}

/**
 * Returns the id of the daemon that uses the state directory; undefined if none does. Reads which files the process has open instead of
 * trying the lock, which could prevent the start of a daemon.
 */
export function daemonOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(path, PID_FILE), 'utf8'));
    const lock = realpathSync(join(path, LOCK_FILE));
    const files = `/proc/${pid}/fd`;
    return readdirSync(files).some((file) => targetOf(join(files, file)) === lock) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for a file that was closed meanwhile. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function holder(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
