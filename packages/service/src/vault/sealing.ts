import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';

const NONCE = 12;
const TAG = 16;
const VERSION = 'v1';

/** Random bytes are drawn by the page: asking the system for twelve at a time would be a good part of sealing's cost. */
const pool = Buffer.alloc(NONCE * 256);
let used = pool.length;

function newNonce(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += NONCE;
  return pool.subarray(used - NONCE, used);
}

/**
 * AES-256-GCM as text: version, nonce, data with its tag. What it is bound to is not in the text: it opens only where
 * the same binding is named again, so a sealed value that was moved to another row stays shut.
 */
export function seal(key: KeyObject, plaintext: string | Buffer, boundTo: string): string {
  const nonce = newNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const data = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
  cipher.final();
  return `${VERSION}.${nonce.toString('base64url')}.${Buffer.concat([data, cipher.getAuthTag()]).toString('base64url')}`;
}

/** Thrown when a sealed text was changed, moved, or sealed by another key. It says nothing of the content. */
export class Unopenable extends Error {
  override name = 'Unopenable';
}

export function unseal(key: KeyObject, sealed: string, boundTo: string): Buffer {
  const [version, nonce = '', rest = '', ...more] = sealed.split('.');
  const bytes = Buffer.from(rest, 'base64url');
  const start = Buffer.from(nonce, 'base64url');
  if (version !== VERSION || more.length > 0 || start.length !== NONCE || bytes.length < TAG) {
    throw new Unopenable('A sealed text does not have the form of one.');
  }
  const decipher = createDecipheriv('aes-256-gcm', key, start, { authTagLength: TAG });
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG)), decipher.final()]);
  } catch {
    throw new Unopenable('A sealed text was changed, moved, or sealed by another key.');
  }
}
