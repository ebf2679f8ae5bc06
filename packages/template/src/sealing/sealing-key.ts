import { createHash, createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** Encodes a public key as base64 of its SPKI. */
export const sealingKeyText = (key: KeyObject): string =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'der', type: 'spki' }).toString('base64');

/** Reads an X25519 public key; throws for anything else. */
export function readSealingKey(text: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'x25519') throw new Error('A sealing key must be an X25519 key.');
  return key;
}

/**
 * Tells whether secrets can be sealed to this key: it must be an X25519 key in canonical encoding, and not a point of
 * low order, for which every shared secret would be publicly known.
 */
export function isSealingKey(text: string): boolean {
  try {
    const key = readSealingKey(text);
    diffieHellman({ privateKey: generateKeyPairSync('x25519').privateKey, publicKey: key });
    return sealingKeyText(key) === text;
  } catch {
    return false;
  }
}

/** Returns the fingerprint of a key for logs, records and messages. */
export const sealingKeyFingerprint = (text: string): string =>
  `sha256:${createHash('sha256').update(Buffer.from(text, 'base64')).digest('hex')}`;
