import {
  createCipheriv,
  createDecipheriv,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { SealedFields } from '@hortus/contract/protocol/sealing';
import { canonicalJson } from '../canonical/canonical-json.ts';
import { replaceAt } from '../schema/json-pointer.ts';
import { readSealingKey, sealingKeyFingerprint, sealingKeyText } from './sealing-key.ts';

/**
 * Identifies the message of sealed values; opening needs the same context, so that a value cannot be reused in another
 * message.
 */
export type SealingContext = Readonly<Record<string, string | number | null>>;

export type Sealed<T> = T & { readonly sealed?: SealedFields };

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Replaces the texts at the pointers by empty ones and adds them encrypted for the owner of `recipient`, and for each of
 * `others`. Every recipient gets an ephemeral key of its own; each text is bound to the context and to its own pointer.
 */
export function sealFields<T extends object>(
  value: T,
  pointers: readonly string[],
  recipient: string,
  context: SealingContext,
  others: readonly string[] = [],
): Sealed<T> {
  const copy = structuredClone(value);
  const texts = new Map<string, string>();
  for (const pointer of pointers) {
    replaceAt(copy, pointer, (text) => {
      if (typeof text !== 'string' || texts.has(pointer)) return text;
      texts.set(pointer, text);
      return '';
    });
  }
  const sealed = sealedFor(recipient, texts, context);
  if (others.length === 0) return { ...copy, sealed };
  return { ...copy, sealed: { ...sealed, others: others.map((other) => sealedFor(other, texts, context)) } };
}

type SealedForOne = Omit<SealedFields, 'others'>;

function sealedFor(recipient: string, texts: ReadonlyMap<string, string>, context: SealingContext): SealedForOne {
  const ephemeral = generateKeyPairSync('x25519');
  const ephemeral_key = sealingKeyText(ephemeral.publicKey);
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: readSealingKey(recipient) });
  const key = derivedKey(secret, ephemeral_key, recipient, context);
  const fields: Record<string, string> = {};
  for (const [pointer, text] of texts) fields[pointer] = encrypt(key, pointer, text);
  return { recipient: sealingKeyFingerprint(recipient), ephemeral_key, fields };
}

/** Fills in the sealed texts. Throws if one cannot be opened. */
export function openFields<T extends object>(
  value: Sealed<T>,
  privateKey: KeyObject,
  context: SealingContext,
): Sealed<T> {
  if (!value.sealed) return value;
  const own = sealingKeyText(privateKey);
  const { ephemeral_key, fields } = sealedTo(own, value.sealed);
  const secret = diffieHellman({ privateKey, publicKey: readSealingKey(ephemeral_key) });
  const key = derivedKey(secret, ephemeral_key, own, context);
  const copy = structuredClone(value);
  for (const [pointer, sealed] of Object.entries(fields)) replaceAt(copy, pointer, () => decrypt(key, pointer, sealed));
  return copy;
}

/** Finds the texts for a key; without any, those of the first recipient, which then do not open. */
function sealedTo(key: string, { others = [], ...first }: SealedFields): SealedForOne {
  const fingerprint = sealingKeyFingerprint(key);
  return others.find(({ recipient }) => recipient === fingerprint) ?? first;
}

function derivedKey(secret: Buffer, ephemeral: string, recipient: string, context: SealingContext): Buffer {
  const salt = Buffer.concat([Buffer.from(ephemeral, 'base64'), Buffer.from(recipient, 'base64')]);
  const info = `hortus sealed fields 1 ${canonicalJson(context)}`;
  return Buffer.from(hkdfSync('sha256', secret, salt, info, 32));
}

function encrypt(key: Buffer, pointer: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(pointer));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64');
}

function decrypt(key: Buffer, pointer: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(pointer)).setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
}
