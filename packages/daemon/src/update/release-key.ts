import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getAsset, getAssetKeys, isSea } from 'node:sea';
import { ConfigError } from '../config-error.ts';

/** Name under which the build embeds the public release key. */
export const RELEASE_KEY_ASSET = 'release-key';

/** Returns the public key that this binary was built with; undefined if it runs from source or was built without one. */
export const builtInReleaseKey = (): string | undefined =>
  isSea() && getAssetKeys().includes(RELEASE_KEY_ASSET) ? getAsset(RELEASE_KEY_ASSET, 'utf8') : undefined;

/** Reads the key that releases must be signed with: from a file of the operator, otherwise the built-in one. */
export function releaseKeyOf(file: string | undefined, builtIn = builtInReleaseKey()): KeyObject | undefined {
  if (file === undefined) return builtIn === undefined ? undefined : readReleaseKey(builtIn);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`--release-key ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  return readReleaseKey(text);
}

/** Parses base64 of an SPKI, as `npm run release:key` prints it, or PEM. */
export function readReleaseKey(text: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = text.includes('-----BEGIN PUBLIC KEY-----')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text.trim(), 'base64'), format: 'der', type: 'spki' });
  } catch {
    // Reported below.
  }
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new ConfigError('The release key must be an Ed25519 public key: base64 of its SPKI, or PEM.');
  return key;
}
