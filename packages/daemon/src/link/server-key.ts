import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSecretFile } from '../journal/secret-file.ts';

interface RotatedKey {
  api_key: string;
  /** Fingerprint of the key the operator gave, which this one stands for. */
  replaces: string;
}

const fileOf = (stateDirectory: string) => join(stateDirectory, 'server-key.json');
const fingerprint = (key: string) => createHash('sha256').update(key).digest('hex');

/**
 * The key that is valid now: the one that the service handed out in place of the given one, or the given one. A key that
 * the operator has changed since beats both.
 */
export function currentKey(stateDirectory: string, given: string): string {
  try {
    const rotated = JSON.parse(readFileSync(fileOf(stateDirectory), 'utf8')) as RotatedKey;
    return rotated.replaces === fingerprint(given) ? rotated.api_key : given;
  } catch {
    return given;
  }
}

/** Returns after the disk has it: the service kills the old key as soon as it is told. */
export function keepRotatedKey(stateDirectory: string, given: string, api_key: string): void {
  writeSecretFile(
    fileOf(stateDirectory),
    JSON.stringify({ api_key, replaces: fingerprint(given) } satisfies RotatedKey),
  );
}
