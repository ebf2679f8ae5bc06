import { canonicalJson } from '../canonical-json.ts';
import { error } from '../finding.ts';
import { references } from '../interpolation/text.ts';
import type { Rule } from './rule.ts';
import { textsOf } from './texts.ts';

/** Characters of the canonical text. Every process of a service keeps all templates in memory. */
export const LONGEST_SPEC = 262_144;

/** Each takes some 50 ms whenever an instance is resolved. */
const MOST_HASHES = 8;

/** Each takes up to a second of a thread that hashes passwords and writes files too. */
const MOST_RSA_KEYS = 4;

/** What a template costs a service that only keeps and resolves it. */
export const size: Rule = function* (spec) {
  const { length } = canonicalJson(spec);
  if (length > LONGEST_SPEC)
    yield error('too-long', [], `the template has ${length} characters with its defaults; ${LONGEST_SPEC} are allowed`);
  const rsaKeys = Object.entries(spec.secrets).filter(([, { algorithm }]) => algorithm === 'rsa');
  const [oneMore] = rsaKeys.slice(MOST_RSA_KEYS);
  if (oneMore)
    yield error('too-many', ['secrets', oneMore[0]], `a template has at most ${MOST_RSA_KEYS} key pairs of RSA`);
  let hashes = 0;
  for (const { path, text } of textsOf(spec)) {
    for (const { filters } of references(text)) if (filters.includes('bcrypt')) hashes++;
    if (hashes <= MOST_HASHES) continue;
    yield error(
      'too-many',
      path,
      `a template hashes at most ${MOST_HASHES} values with bcrypt`,
      'hash it once, in vars',
    );
    return;
  }
};
