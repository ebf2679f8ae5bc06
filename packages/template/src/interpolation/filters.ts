import { createHash } from 'node:crypto';
import { bcrypt } from './bcrypt.ts';
import type { Value } from './fill.ts';
import type { Filter } from './text.ts';

const BCRYPT_COST = 10;

/** Of something not set, json is null, so that the document around it stays valid; the others leave it unset. */
export function applyFilter(filter: Filter, value: Value | undefined, salt: () => string): Value | undefined {
  if (filter === 'json') return value === undefined ? 'null' : JSON.stringify(value);
  if (value === undefined) return undefined;
  const text = String(value);
  switch (filter) {
    case 'urlencode':
      return percentEncode(text);
    case 'base64':
      return Buffer.from(text, 'utf8').toString('base64');
    case 'bcrypt':
      return bcrypt(text, createHash('sha256').update(salt()).digest().subarray(0, 16), BCRYPT_COST);
  }
}

/** Everything but the unreserved characters of RFC 3986; encodeURIComponent leaves five more as they are. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
