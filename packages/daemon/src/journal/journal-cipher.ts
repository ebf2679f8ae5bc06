import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const MARK = 'enc1:';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets in the journal with a key derived from the key pair beside it. That protects a copy of the journal
 * alone (a backup, a snapshot of the file, a support bundle), but not the whole state directory, nor against root.
 */
export class JournalCipher {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** `place` names table, column and row; ciphertext moved elsewhere does not decrypt. */
  encrypt(text: string, place: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(place));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return MARK + Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64');
  }

  decrypt(text: string, place: string): string {
    if (!isEncrypted(text)) throw new Error(`The journal contains ${place} unencrypted; another program modified it.`);
    const bytes = Buffer.from(text.slice(MARK.length), 'base64');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  }
}

export const isEncrypted = (text: string): boolean => text.startsWith(MARK);
