/**
 * bcrypt (Provos and Mazières, 1999), for applications that read a password only as its hash. Nothing of this project's
 * own is authenticated with it.
 */
const ROUNDS = 16;
const SUBKEYS = ROUNDS + 2;
const BOX = 256;
const STATE_WORDS = SUBKEYS + 4 * BOX;
const MAGIC = 'OrpheanBeholderScryDoubt';
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** At most 72 bytes of the password count, as in every implementation. */
export function bcrypt(password: string, salt: Uint8Array, cost: number): string {
  const key = new Uint8Array([...new TextEncoder().encode(password), 0]).subarray(0, 72);
  const state = initialState().slice();
  const saltWords = cyclicWords(salt, 4);
  const keyWords = cyclicWords(key, SUBKEYS);
  const saltAsKey = cyclicWords(salt, SUBKEYS);
  const unsalted = new Uint32Array(4);
  expand(state, keyWords, saltWords);
  for (let round = 2 ** cost; round > 0; round--) {
    expand(state, keyWords, unsalted);
    expand(state, saltAsKey, unsalted);
  }
  const block = cyclicWords(new TextEncoder().encode(MAGIC), 6);
  for (let pair = 0; pair < 6; pair += 2) for (let time = 0; time < 64; time++) encipher(state, block, pair);
  const digest = new Uint8Array(24);
  const view = new DataView(digest.buffer);
  for (const [index, word] of block.entries()) view.setUint32(index * 4, word);
  // The last byte is left out: the original implementation did so, and it became the format.
  return `$2b$${String(cost).padStart(2, '0')}$${radix64(salt)}${radix64(digest.subarray(0, 23))}`;
}

function expand(state: Uint32Array, key: Uint32Array, salt: Uint32Array): void {
  for (let i = 0; i < SUBKEYS; i++) state[i] = (state[i] as number) ^ (key[i] as number);
  const block = new Uint32Array(2);
  for (let i = 0; i < STATE_WORDS; i += 2) {
    block[0] = (block[0] as number) ^ (salt[i & 3] as number);
    block[1] = (block[1] as number) ^ (salt[(i + 1) & 3] as number);
    encipher(state, block, 0);
    state[i] = block[0] as number;
    state[i + 1] = block[1] as number;
  }
}

/** One Blowfish block, in place. */
function encipher(state: Uint32Array, block: Uint32Array, at: number): void {
  let left = (block[at] as number) ^ (state[0] as number);
  let right = block[at + 1] as number;
  for (let i = 1; i <= ROUNDS; i += 2) {
    right ^= mix(state, left) ^ (state[i] as number);
    left ^= mix(state, right) ^ (state[i + 1] as number);
  }
  block[at] = right ^ (state[ROUNDS + 1] as number);
  block[at + 1] = left;
}

function mix(state: Uint32Array, word: number): number {
  const a = state[SUBKEYS + (word >>> 24)] as number;
  const b = state[SUBKEYS + BOX + ((word >>> 16) & 255)] as number;
  const c = state[SUBKEYS + 2 * BOX + ((word >>> 8) & 255)] as number;
  const d = state[SUBKEYS + 3 * BOX + (word & 255)] as number;
  return (((a + b) ^ c) + d) | 0;
}

function cyclicWords(bytes: Uint8Array, count: number): Uint32Array {
  let at = 0;
  const next = () => bytes[at++ % bytes.length] as number;
  return Uint32Array.from({ length: count }, () => (next() << 24) | (next() << 16) | (next() << 8) | next());
}

let pi: Uint32Array | undefined;

/** Blowfish starts from the fraction of pi; Machin's formula gives its bits faster than a table of 1042 words is read. */
function initialState(): Uint32Array {
  if (pi !== undefined) return pi;
  const guard = 64n;
  const one = 1n << (BigInt(STATE_WORDS * 32) + guard);
  const arctanOfInverse = (x: bigint): bigint => {
    let power = one / x;
    let sum = power;
    for (let n = 3n, sign = -1n; power > 0n; n += 2n, sign = -sign) {
      power /= x * x;
      sum += (sign * power) / n;
    }
    return sum;
  };
  const fraction = (4n * (4n * arctanOfInverse(5n) - arctanOfInverse(239n)) - 3n * one) >> guard;
  const digits = fraction.toString(16).padStart(STATE_WORDS * 8, '0');
  pi = Uint32Array.from({ length: STATE_WORDS }, (_, i) => Number.parseInt(digits.slice(i * 8, i * 8 + 8), 16));
  return pi;
}

function radix64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let digit = 0; digit < Math.min(bytes.length - i, 3) + 1; digit++) {
      text += ALPHABET[(group >>> (18 - 6 * digit)) & 63];
    }
  }
  return text;
}
