import { canonicalJson } from '../canonical-json.ts';
import { error } from '../finding.ts';
import { references } from '../interpolation/text.ts';
import type { Rule } from './rule.ts';
import { textsOf } from './texts.ts';

/** Maximum length of the canonical text. Every process of the service keeps all templates in memory. */
export const LONGEST_SPEC = 262_144;

/** Each hash takes about 50 ms whenever an instance is resolved. */
const MOST_HASHES = 8;

/** Each key takes up to a second of a thread that also hashes passwords and writes files. */
const MOST_RSA_KEYS = 4;

/** Limits the cost of storing and resolving a template. */
export const size: Rule = function* (spec) {
  const { length } = canonicalJson(spec);
  if (length > LONGEST_SPEC)
    yield error('too-long', [], `the template has ${length} characters with its defaults; ${LONGEST_SPEC} are allowed`);
  const rsaKeys = Object.entries(spec.secrets).filter(([, { algorithm }]) => algorithm === 'rsa');
  const [oneMore] = rsaKeys.slice(MOST_RSA_KEYS);
  if (oneMore)
    yield error('too-many', ['secrets', oneMore[0]], `a template can have at most ${MOST_RSA_KEYS} RSA key pairs`);
  let hashes = 0;
  for (const { path, text } of textsOf(spec)) {
    for (const { filters } of references(text)) if (filters.includes('bcrypt')) hashes++;
    if (hashes <= MOST_HASHES) continue;
    yield error(
      'too-many',
      path,
      `a template can hash at most ${MOST_HASHES} values with bcrypt`,
      'hash it once, in vars',
    );
    return;
  }
};
