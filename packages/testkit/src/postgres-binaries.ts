import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// Debian keeps each major version apart and out of PATH.
const debian = '/usr/lib/postgresql';

/** The folder with `initdb` and `postgres`, the newest version Debian has or else what PATH offers. */
export function findPostgresBinaries(): string | undefined {
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}
