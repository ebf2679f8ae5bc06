import { randomBytes } from 'node:crypto';

/** A source of random bytes; tests put a predictable one in its place. */
export type Random = (size: number) => Uint8Array;

const POOL = 4096;
let pool = Buffer.alloc(0);
let used = 0;

/** A system call costs more than the bytes it brings, so they are fetched by the page. None is handed out twice. */
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

/** Characters drawn evenly: a byte beyond the last whole multiple of the alphabet is thrown away, not folded. */
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

/** A whole number from `least` up to, not including, `end`. */
export function between(least: number, end: number, random: Random): number {
  const range = end - least;
  const limit = 65_536 - (65_536 % range);
  for (;;) {
    const [high = 0, low = 0] = random(2);
    const drawn = high * 256 + low;
    if (drawn < limit) return least + (drawn % range);
  }
}
