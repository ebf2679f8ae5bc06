import { createHmac, hkdfSync, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Derives the keys of a bundle: scrypt turns the passphrase and a random salt into a key, from which each section gets its own
 * key.
 */
export interface Hardening {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  /** Hexadecimal. */
  readonly salt: string;
}

/** Costs 128 MiB and about 0.35 s per guessed passphrase. */
export const hardening = { N: 2 ** 17, r: 8, p: 1 } as const;
/** Upper limit: a hostile file could ask for more to exhaust the reader. */
const MAX = { N: 2 ** 20, r: 16, p: 4 } as const;

export interface BundleKey {
  readonly key: Buffer;
  /** Verifies the passphrase before any section is decrypted. */
  readonly check: string;
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

export const isBearable = ({ N, r, p, salt }: Hardening): boolean =>
  isNumber(r, MAX.r) && isNumber(p, MAX.p) && isNumber(N, MAX.N) && N > 1 && (N & (N - 1)) === 0 && isHex(salt);

const isNumber = (value: unknown, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
const isHex = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);

export async function keyFrom(passphrase: string, { N, r, p, salt }: Hardening): Promise<BundleKey> {
  const maxmem = 2 ** 20 + 256 * N * r * p;
  const made = await derive(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), 64, { N, r, p, maxmem });
  const check = createHmac('sha256', made.subarray(32)).update('hortus bundle').digest('hex');
  return { key: made.subarray(0, 32), check };
}

export function isSame(check: string, stated: string): boolean {
  const [item, other] = [Buffer.from(check), Buffer.from(stated)];
  return item.length === other.length && timingSafeEqual(item, other);
}

export const sectionKey = ({ key }: BundleKey, section: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `hortus bundle section ${section}`, 32));
