import type { Canonical, CanonicalSecret } from '../canonical/canonical-form.ts';
import { didYouMean } from '../schema/nearest.ts';
import { error, type Path, type Remark, warning } from '../source/finding.ts';
import type { Rule } from './rule.ts';

const APPLIES: Record<string, readonly string[]> = {
  length: ['password', 'hex', 'base64', 'alnum', 'username'],
  unit: ['password', 'hex', 'base64', 'alnum', 'username'],
  algorithm: ['keypair'],
  bits: ['keypair'],
  signed_with: ['jwt'],
  claims: ['jwt'],
  expires_in: ['jwt'],
};

/** Shorter secrets have less than about 64 bits and can be guessed. */
const MIN_LENGTH = 12;

export const secrets: Rule = function* (spec) {
  for (const [name, secret] of Object.entries(spec.secrets)) {
    const path = ['secrets', name];
    if (secret.generate === undefined && !secret.external) {
      yield error('no-generator', path, `${name} needs generate, or external: true`);
    } else if (secret.generate !== undefined && secret.external) {
      yield error('misplaced', [...path, 'generate'], 'an external secret is given by the user, never generated');
    } else yield* options(secret, path);
    if (secret.generate === 'jwt') yield* signer(spec, secret, path);
  }
};

function* options(secret: CanonicalSecret, path: Path): Generator<Remark> {
  const { generate = 'external', length, unit, algorithm, bits } = secret;
  for (const [key, generators] of Object.entries(APPLIES)) {
    if (Object.hasOwn(secret, key) && !generators.includes(generate)) {
      yield error('misplaced', [...path, key], `${key} does not apply to ${generate}`);
    }
  }
  if (bits !== undefined && algorithm !== 'rsa') yield error('misplaced', [...path, 'bits'], 'bits apply to rsa only');
  if (generate === 'base64' && unit === 'chars' && (length ?? 0) % 4 !== 0) {
    yield error('length', [...path, 'length'], 'a base64 text has a multiple of 4 characters', 'set unit: bytes');
  }
  if (length !== undefined && length < MIN_LENGTH && generate !== 'username') {
    yield warning(
      'weak-secret',
      [...path, 'length'],
      `a length of ${length} can be guessed; use ${MIN_LENGTH} or more`,
    );
  }
}

function* signer(spec: Canonical, { signed_with }: CanonicalSecret, path: Path): Generator<Remark> {
  if (signed_with === undefined) {
    yield error('no-signer', path, 'a jwt needs signed_with, the secret that signs it');
    return;
  }
  const at = [...path, 'signed_with'];
  const key = Object.hasOwn(spec.secrets, signed_with) ? spec.secrets[signed_with] : undefined;
  if (key === undefined) {
    yield error(
      'unknown-secret',
      at,
      `there is no secret ${signed_with}`,
      didYouMean(signed_with, Object.keys(spec.secrets)),
    );
  } else if (key.generate === 'jwt' || key.generate === 'keypair') {
    yield error('signer', at, `a ${key.generate} cannot sign with HS256; name a text secret`);
  }
}
