import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk small enough to be filled. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Writes until the disk is full. */
  fill(): void;
  makeRoom(): void;
}

/** Mounts a small disk at `path`, which hides its content until disposal; needs root. */
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
    // Lazily: an engine may still be unmounting folders below.
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
