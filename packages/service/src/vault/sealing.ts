import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';

const NONCE = 12;
const TAG = 16;
const VERSION = 'v1';

/** Pool of random bytes: requesting twelve at a time from the system would be a large part of the cost. */
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
 * Encrypts with AES-256-GCM to text: version, nonce, data with its tag. The binding is not part of the text: decryption
 * needs the same binding, so a sealed value that was moved to another row cannot be opened.
 */
export function seal(key: KeyObject, plaintext: string | Buffer, boundTo: string): string {
  const nonce = newNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const data = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
  cipher.final();
  return `${VERSION}.${nonce.toString('base64url')}.${Buffer.concat([data, cipher.getAuthTag()]).toString('base64url')}`;
}

/** Thrown if a sealed text was changed, moved, or sealed with another key. Reveals nothing of the content. */
class Unopenable extends Error {
  override name = 'Unopenable';
}

export function unseal(key: KeyObject, sealed: string, boundTo: string): Buffer {
  const [version, nonce = '', rest = '', ...more] = sealed.split('.');
  const bytes = Buffer.from(rest, 'base64url');
  const start = Buffer.from(nonce, 'base64url');
  if (version !== VERSION || more.length > 0 || start.length !== NONCE || bytes.length < TAG) {
    throw new Unopenable('A sealed text is malformed.');
  }
  const decipher = createDecipheriv('aes-256-gcm', key, start, { authTagLength: TAG });
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG)), decipher.final()]);
  } catch {
    throw new Unopenable('A sealed text was changed, moved, or sealed with another key.');
  }
}
