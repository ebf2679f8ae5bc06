import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSecretFile } from '../journal/secret-file.ts';

interface RotatedKey {
  api_key: string;
  /** Fingerprint of the operator's key that this one replaces. */
  replaces: string;
}

const fileOf = (stateDirectory: string) => join(stateDirectory, 'server-key.json');
const fingerprint = (key: string) => createHash('sha256').update(key).digest('hex');

/** Returns the valid key: the rotated one, or the configured one if the operator has changed it since. */
export function currentKey(stateDirectory: string, input: string): string {
  try {
    const rotated = JSON.parse(readFileSync(fileOf(stateDirectory), 'utf8')) as RotatedKey;
    return rotated.replaces === fingerprint(input) ? rotated.api_key : input;
  } catch {
    return input;
  }
}

/** Stores the rotated key. Returns after it is on disk, because the acknowledgement invalidates the old one. */
export function keepRotatedKey(stateDirectory: string, input: string, api_key: string): void {
  writeSecretFile(
    fileOf(stateDirectory),
    JSON.stringify({ api_key, replaces: fingerprint(input) } satisfies RotatedKey),
  );
}
