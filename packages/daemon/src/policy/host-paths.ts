import { readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';

/** A directory entry that resolving a path goes through. */
interface PathEntry {
  /** Resolved parent directory. Write access there is enough to replace the path. */
  directory: string;
  name: string;
  link: boolean;
}

export interface PathWalk {
  /** The path with every symbolic link followed; missing parts are taken literally. */
  real: string;
  entries: readonly PathEntry[];
}

/** Limit of followed links, as in the kernel; a path with more stays unresolved, and the engine fails to open it. */
const MAX_LINKS = 40;

/** Resolves an absolute path as the kernel does, and lists the directory entries on the way. */
export function walkPath(path: string): PathWalk {
  const left = namesIn(path);
  const entries: PathEntry[] = [];
  let directory = '/';
  let links = 0;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === '..') {
      directory = posix.dirname(directory);
      continue;
    }
    const target = links < MAX_LINKS ? linkTarget(posix.join(directory, name)) : undefined;
    entries.push({ directory, name, link: target !== undefined });
    if (target === undefined) {
      directory = posix.join(directory, name);
      continue;
    }
    links++;
    if (target.startsWith('/')) directory = '/';
    left.unshift(...namesIn(target));
  }
  return { real: directory, entries };
}

const namesIn = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

export const realPath = (path: string): string => walkPath(path).real;

export function isBelow(path: string, directory: string): boolean {
  const whole = (text: string) => `${withoutTrailing(posix.normalize(text), '/')}/`;
  return whole(path).startsWith(whole(directory));
}

/** Checks for an absolute path without `.` and `..`, so that the checked path is the used path. */
export function isPlainPath(path: string): boolean {
  return (
    path.startsWith('/') &&
    !path.includes('\0') &&
    posix.normalize(path).replace(/(.)\/$/, '$1') === path.replace(/(.)\/$/, '$1')
  );
}
