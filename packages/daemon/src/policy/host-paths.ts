import { realpathSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * The path with every symbolic link on it followed, as far as it exists. A link inside an allowed directory must not
 * lead a mount out of it.
 */
export function realPath(path: string): string {
  const rest: string[] = [];
  for (let existing = posix.normalize(path); ; existing = posix.dirname(existing)) {
    try {
      return posix.join(realpathSync(existing), ...rest);
    } catch {
      if (existing === '/' || existing === '.') return posix.normalize(path);
      rest.unshift(posix.basename(existing));
    }
  }
}

export function isBelow(path: string, directory: string): boolean {
  const whole = (text: string) => `${posix.normalize(text)}/`.replace(/\/+$/, '/');
  return whole(path).startsWith(whole(directory));
}

/** Absolute, and the same after every `.` and `..` in it is followed: what is checked is what is used. */
export function isPlainPath(path: string): boolean {
  return (
    path.startsWith('/') &&
    !path.includes('\0') &&
    posix.normalize(path).replace(/(.)\/$/, '$1') === path.replace(/(.)\/$/, '$1')
  );
}
