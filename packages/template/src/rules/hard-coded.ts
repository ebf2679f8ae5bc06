import { parseText } from '../interpolation/text.ts';
import { looksSecret } from '../secrets/secret-name.ts';
import { type Path, type Remark, warning } from '../source/finding.ts';
import type { Rule } from './rule.ts';

/** Values that are not secret: switches, numbers, and paths of files that contain the secret. */
const HARMLESS =
  /^(|true|false|yes|no|on|off|enabled|disabled|none|null|required|optional|auto|-?\d{1,5}|\/.*|file:.*)$/i;
const IN_ADDRESS = /:\/\/[^/\s:@]*:([^@\s/]+)@/;
const TELLTALES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'a private key'],
  [/\bAKIA[0-9A-Z]{16}\b/, 'a cloud access key'],
  [/\b(ghp|gho|ghs|github_pat|glpat|xox[abp])[_-][A-Za-z0-9_-]{20}/, 'a token'],
  [/(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10}/, 'a signed token'],
];
const HINT = 'generate it under secrets, or ask for it with an input of type password';

/**
 * Reports secrets in a template: they are the same in every instance and known to everyone who can read the catalog.
 */
export const hardCoded: Rule = function* (spec) {
  for (const [component, { env, files }] of Object.entries(spec.components)) {
    const path = ['components', component];
    for (const [name, value] of Object.entries(env)) {
      if (looksSecret(name) && isLiteral(value)) {
        yield warning('hard-coded-secret', [...path, 'env', name], `${name} would be the same in every instance`, HINT);
      } else yield* hardCodedIn(value, [...path, 'env', name]);
    }
    for (const [index, { content }] of files.entries())
      yield* hardCodedIn(content, [...path, 'files', index, 'content']);
  }
  for (const [name, text] of Object.entries(spec.vars)) yield* hardCodedIn(text, ['vars', name]);
  for (const [index, { env = {} }] of spec.actions.entries()) {
    for (const [name, value] of Object.entries(env)) {
      if (!looksSecret(name) || !isLiteral(String(value))) continue;
      yield warning(
        'hard-coded-secret',
        ['actions', index, 'env', name],
        `${name} would be the same in every instance`,
        HINT,
      );
    }
  }
};

/** Tells whether a text has no references, or falls back to such a text. */
function isLiteral(value: string): boolean {
  const { segments } = parseText(value);
  const [only] = segments;
  if (segments.length === 0) return false;
  if (segments.length === 1 && typeof only === 'object') {
    const [fallback] = only.operand;
    return only.operator === ':-' && only.operand.length === 1 && typeof fallback === 'string' && isLiteral(fallback);
  }
  return segments.every((segment) => typeof segment === 'string') && !HARMLESS.test(value.trim());
}

function* hardCodedIn(text: string, path: Path): Generator<Remark> {
  const password = IN_ADDRESS.exec(text)?.[1];
  if (password !== undefined && !/[$%{<*]/.test(password)) {
    const message = 'the password in this address would be the same in every instance';
    yield { ...warning('hard-coded-secret', path, message, HINT), within: `:${password}@` };
  }
  for (const [form, what] of TELLTALES) {
    const found = form.exec(text)?.[0];
    if (found === undefined) continue;
    yield { ...warning('hard-coded-secret', path, `this looks like ${what}`, HINT), within: found };
  }
}
