import { createHash } from 'node:crypto';
import { encodeBase64, hashSync } from 'bcryptjs';
import type { Filter } from './text.ts';

export type Value = string | number | boolean;

const BCRYPT_COST = 10;
/** The least that bcrypt allows: for hashes that no application reads. */
export const MIN_BCRYPT_COST = 4;

/** Of something not set, json is null, so that the document around it stays valid; the others leave it unset. */
export function applyFilter(
  filter: Filter,
  value: Value | undefined,
  salt: () => string,
  cost = BCRYPT_COST,
): Value | undefined {
  if (filter === 'json') return value === undefined ? 'null' : JSON.stringify(value);
  if (value === undefined) return undefined;
  const text = String(value);
  switch (filter) {
    case 'urlencode':
      return percentEncode(text);
    case 'base64':
      return Buffer.from(text, 'utf8').toString('base64');
    case 'bcrypt':
      return bcrypt(text, salt(), cost);
  }
}

/**
 * Hashes with a salt derived from `seed`, so that the same seed gives the same hash. Only for applications that read a
 * password as its hash; the service authenticates nothing with it.
 */
function bcrypt(password: string, seed: string, cost: number): string {
  const salt = createHash('sha256').update(seed).digest().subarray(0, 16);
  return hashSync(password.toWellFormed(), `$2b$${String(cost).padStart(2, '0')}$${encodeBase64(salt, salt.length)}`);
}

/** Everything but the unreserved characters of RFC 3986; encodeURIComponent leaves five more as they are. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
