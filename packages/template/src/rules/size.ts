import { canonicalJson } from '../canonical/canonical-json.ts';
import { references } from '../interpolation/text.ts';
import { error } from '../source/finding.ts';
import type { Rule } from './rule.ts';
import { textsOf } from './texts.ts';

/** Maximum length of the canonical text. Every process of the service keeps all templates in memory. */
export const MAX_SPEC_LENGTH = 262_144;

/** Each hash takes about 50 ms whenever an instance is resolved. */
const MAX_HASHES = 8;

/** Each key takes up to a second of a thread that also hashes passwords and writes files. */
const MAX_RSA_KEYS = 4;

/** Limits the cost of storing and resolving a template. */
export const size: Rule = function* (spec) {
  const { length } = canonicalJson(spec);
  if (length > MAX_SPEC_LENGTH)
    yield error(
      'too-long',
      [],
      `the template has ${length} characters with its defaults; ${MAX_SPEC_LENGTH} are allowed`,
    );
  const rsaKeys = Object.entries(spec.secrets).filter(([, { algorithm }]) => algorithm === 'rsa');
  const [oneMore] = rsaKeys.slice(MAX_RSA_KEYS);
  if (oneMore)
    yield error('too-many', ['secrets', oneMore[0]], `a template can have at most ${MAX_RSA_KEYS} RSA key pairs`);
  let hashes = 0;
  for (const { path, text } of textsOf(spec)) {
    for (const { filters } of references(text)) if (filters.includes('bcrypt')) hashes++;
    if (hashes <= MAX_HASHES) continue;
    yield error(
      'too-many',
      path,
      `a template can hash at most ${MAX_HASHES} values with bcrypt`,
      'hash it once, in vars',
    );
    return;
  }
};
