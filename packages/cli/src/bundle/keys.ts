import { createHmac, hkdfSync, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Derives the keys of a bundle. A passphrase becomes a key by scrypt, with a salt that is drawn for every bundle; each section is
 * sealed under a key of its own derived from that.
 */
export interface Hardening {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  /** Hexadecimal. */
  readonly salt: string;
}

/** 128 MiB and a good third of a second for every passphrase that somebody tries. */
export const hardening = { N: 2 ** 17, r: 8, p: 1 } as const;
/** A file that asks for more is meant to stop whoever opens it. */
const MOST = { N: 2 ** 20, r: 16, p: 4 } as const;

export interface BundleKey {
  readonly key: Buffer;
  /** Tells whether a passphrase is the right one, without anything having to be opened. */
  readonly check: string;
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

export const isBearable = ({ N, r, p, salt }: Hardening): boolean =>
  isNumber(r, MOST.r) && isNumber(p, MOST.p) && isNumber(N, MOST.N) && N > 1 && (N & (N - 1)) === 0 && isHex(salt);

const isNumber = (value: unknown, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
const isHex = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);

export async function keyFrom(passphrase: string, { N, r, p, salt }: Hardening): Promise<BundleKey> {
  const maxmem = 2 ** 20 + 256 * N * r * p;
  const made = await derive(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), 64, { N, r, p, maxmem });
  const check = createHmac('sha256', made.subarray(32)).update('hortus bundle').digest('hex');
  return { key: made.subarray(0, 32), check };
}

export function isSame(check: string, stated: string): boolean {
  const [one, other] = [Buffer.from(check), Buffer.from(stated)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export const sectionKey = ({ key }: BundleKey, section: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `hortus bundle section ${section}`, 32));
