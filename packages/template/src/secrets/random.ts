import { randomBytes } from 'node:crypto';

/** A source of random bytes; tests replace it by a deterministic one. */
export type Random = (size: number) => Uint8Array;

const POOL = 4096;
let pool = Buffer.alloc(0);
let used = 0;

/** Returns random bytes from a pool, because a system call costs more than its bytes. No byte is used twice. */
export const pooledRandom: Random = (size) => {
  if (size > POOL) return randomBytes(size);
  if (used + size > pool.length) {
    pool = randomBytes(POOL);
    used = 0;
  }
  const taken = Buffer.from(pool.subarray(used, used + size));
  pool.fill(0, used, used + size);
  used += size;
  return taken;
};

/**
 * Draws characters uniformly: bytes beyond the last whole multiple of the alphabet are discarded, to avoid modulo bias.
 */
export function characters(alphabet: string, length: number, random: Random): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random(Math.ceil((length - text.length) * 1.3) + 4)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** Draws an integer from `min` up to, not including, `end`. */
export function between(min: number, end: number, random: Random): number {
  const range = end - min;
  const limit = 65_536 - (65_536 % range);
  for (;;) {
    const [high = 0, low = 0] = random(2);
    const drawn = high * 256 + low;
    if (drawn < limit) return min + (drawn % range);
  }
}
