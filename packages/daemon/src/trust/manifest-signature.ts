import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { canonicalJson } from '@hortus/template/canonical-json';

/** Reads the base64 SPKI form in which a registration answers the key of the service. */
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

/** The bytes a signature covers: everything that was answered, except the signature itself. */
export function signedBytes(data: Readonly<Record<string, unknown>>): Buffer {
  const { signature: _, ...covered } = data;
  return Buffer.from(canonicalJson(covered));
}

export function isSignedBy(key: KeyObject, order: { readonly signature: string | null }): boolean {
  if (typeof order.signature !== 'string') return false;
  return verify(null, signedBytes(order), key, Buffer.from(order.signature, 'base64'));
}
