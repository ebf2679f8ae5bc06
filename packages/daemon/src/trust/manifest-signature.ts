import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';

/** Parses the service's public key from base64 SPKI, the form of a registration response. */
export function readPublicKey(base64: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
  } catch (cause) {
    throw new Error('The public key of the service cannot be read; it must be base64 of an SPKI.', { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The public key of the service must be an Ed25519 key.');
  return key;
}

/** Returns the bytes that a signature covers: canonical JSON of all fields except the signature. */
export function signedBytes(data: Readonly<Record<string, unknown>>): Buffer {
  const { signature: _, ...covered } = data;
  return Buffer.from(canonicalJson(covered));
}

export function isSignedBy(key: KeyObject, order: { readonly signature: string | null }): boolean {
  if (typeof order.signature !== 'string') return false;
  return verify(null, signedBytes(order), key, Buffer.from(order.signature, 'base64'));
}
