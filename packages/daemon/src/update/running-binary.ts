import { statSync } from 'node:fs';
import { isSea } from 'node:sea';
import type { InstalledBinary } from './update-record.ts';
import { UpdateRefusal } from './update-refusal.ts';

/** Returns the path of the running binary; undefined if the daemon runs from source. */
export const runningBinary = (): string | undefined => (isSea() ? process.execPath : undefined);

/** Folders of package managers. /usr/local belongs to the operator. */
const packaged = /^\/(usr\/(?!local\/)|bin\/|sbin\/|lib\/|opt\/hortus\/|nix\/|gnu\/)/;

/** Throws unless the running program is a binary that may be replaced by a downloaded one. */
export function requireReplaceableBinary(binary: string | undefined): asserts binary is string {
  if (binary === undefined)
    throw new UpdateRefusal(
      'from_source',
      'This daemon runs from source. Update the checkout, or install the binary of a release: `hortusd install`.',
    );
  if (packaged.test(binary))
    throw new UpdateRefusal(
      'packaged',
      `${binary} was installed by a package. Update the package instead: apt update && apt install hortus.`,
    );
}

/** Recognises an installed binary by what changes when it is replaced. */
export function installedBinary(file: string): InstalledBinary {
  const { size, mtimeMs } = statSync(file);
  return { file, size, modifiedMs: mtimeMs };
}
