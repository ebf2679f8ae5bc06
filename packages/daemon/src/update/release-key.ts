import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { getAsset, getAssetKeys, isSea } from 'node:sea';
import { ConfigError } from '../options/config-error.ts';

/** Name under which the build embeds the public release keys, one in each line. */
export const RELEASE_KEY_ASSET = 'release-key';

/** Returns the public keys that this binary was built with; none if it runs from source or was built without them. */
export const builtInReleaseKeys = (): KeyObject[] =>
  isSea() && getAssetKeys().includes(RELEASE_KEY_ASSET) ? readReleaseKeys(getAsset(RELEASE_KEY_ASSET, 'utf8')) : [];

/** Parses one key in each line. Several overlap while the release key is replaced. */
export const readReleaseKeys = (text: string): KeyObject[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(readReleaseKey);

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

/** Names a key in signatures and messages. */
export const releaseKeyId = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 16);
