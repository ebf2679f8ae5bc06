import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk of its own, so small that it can be filled. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Writes until there is no room for another byte. */
  fill(): void;
  makeRoom(): void;
}

/** Needs root. What lies at `path` is not seen until it is disposed of. */
export function smallDisk(path: string, megabytes: number): SmallDisk {
  mkdirSync(path, { recursive: true });
  system('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=711`, 'hortus-test', path);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill() {
      const file = openSync(ballast, 'a');
      for (let bytes = 65_536; bytes >= 1; bytes /= 16) writeWhileRoom(file, Buffer.alloc(bytes));
      closeSync(file);
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    // Lazily: an engine may still be letting go of what it mounted below.
    [Symbol.dispose]: () => system('umount', '--lazy', path),
  };
}

function writeWhileRoom(file: number, piece: Buffer): void {
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function system(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
}
