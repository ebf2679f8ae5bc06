import type { Canonical, CanonicalSecret } from '../canonical/canonical-form.ts';
import { milliseconds } from '../notation/quantity.ts';
import { signedToken } from './jwt.ts';
import { keypair } from './keypair.ts';
import { between, characters, pooledRandom, type Random } from './random.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALNUM = `${LOWER}${LOWER.toUpperCase()}${DIGITS}`;
/** The unreserved characters of RFC 3986: safe in URLs, shells and configuration files. */
const PASSWORD = `${ALNUM}-._~`;

/** Below the ephemeral ports of operating systems, above the ports that services usually use. */
const PORTS = { min: 20_000, end: 32_768 };

export interface Generation {
  random?: Random;
  now?: () => number;
  /** Existing secrets: they are kept, and new tokens can be signed with them. */
  existing?: Readonly<Record<string, string>>;
}

/**
 * Generates a value for every secret that is not external. A keypair gives two: its private key under the name of the
 * secret, its public key under `<name>.public`.
 */
export async function generateSecrets(spec: Canonical, generation: Generation = {}): Promise<Record<string, string>> {
  const { random = pooledRandom, now = Date.now, existing = {} } = generation;
  const made: Record<string, string> = {};
  const tokens: [string, CanonicalSecret][] = [];
  for (const [name, secret] of Object.entries(spec.secrets)) {
    if (secret.external || Object.hasOwn(existing, name)) continue;
    if (secret.generate === 'jwt') tokens.push([name, secret]);
    else if (secret.generate === 'keypair') {
      const { privateKey, publicKey } = await keypair(secret);
      made[name] = privateKey;
      made[`${name}.public`] = publicKey;
    } else made[name] = generateOne(secret, random);
  }
  // Tokens come last, because they may be signed with any other secret.
  for (const [name, secret] of tokens) {
    const signer = secret.signed_with ?? '';
    const key = made[signer] ?? existing[signer];
    if (key === undefined) throw new Error(`secret ${name} is signed with ${signer}, which has no value yet`);
    made[name] = signedToken(claimsOf(secret, now()), key);
  }
  return made;
}

function generateOne({ generate, length = 32, unit }: CanonicalSecret, random: Random): string {
  switch (generate) {
    case 'hex':
      return unit === 'bytes' ? encode('hex', length) : encode('hex', Math.ceil(length / 2)).slice(0, length);
    case 'base64':
      return unit === 'bytes'
        ? encode('base64', length)
        : encode('base64', Math.ceil((length * 3) / 4)).slice(0, length);
    case 'alnum':
      return characters(ALNUM, length, random);
    case 'username':
      // Databases and operating systems require a leading letter.
      return characters(LOWER, 1, random) + characters(LOWER + DIGITS, length - 1, random);
    case 'uuid':
      return uuid(random(16));
    case 'port':
      return String(between(PORTS.min, PORTS.end, random));
    default:
      return characters(PASSWORD, length, random);
  }

  function encode(encoding: 'hex' | 'base64', size: number): string {
    return Buffer.from(random(size)).toString(encoding);
  }
}

function uuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  const variant = '89ab'[(bytes[8] ?? 0) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function claimsOf({ claims, expires_in }: CanonicalSecret, now: number): Record<string, unknown> {
  const iat = Math.floor(now / 1000);
  const life = expires_in === undefined ? undefined : milliseconds(expires_in);
  return { ...claims, iat, ...(life === undefined ? {} : { exp: iat + Math.floor(life / 1000) }) };
}
