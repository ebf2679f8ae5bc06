import { readFileSync } from 'node:fs';
import { release, type } from 'node:os';

/** Describes the operating system, such as `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`. */
export function operatingSystem(): string {
  const kernel = `${type()} ${release()}`;
  const name = distribution();
  return (name === undefined ? kernel : `${name}, ${kernel}`).slice(0, 200);
}

function distribution(): string | undefined {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
