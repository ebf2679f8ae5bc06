import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// Debian installs each major version in a separate folder outside PATH.
const debian = '/usr/lib/postgresql';

/** Finds the folder with `initdb` and `postgres`: Debian's newest version, or PATH. */
export function findPostgresBinaries(): string | undefined {
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}
