import { randomFillSync } from 'node:crypto';
import type { IdKind } from './ids.ts';
import { idPrefixes } from './names.ts';

const alphabet = Buffer.from('0123456789abcdefghjkmnpqrstvwxyz', 'latin1');

/** Pool of random bytes: requesting ten bytes at a time from the system would dominate the cost of an id. */
const pool = Buffer.alloc(4096);
let used = pool.length;

const PREFIX = 'xyz_'.length;

/**
 * Buffer of the last id: ids of the same millisecond share its time. Includes the prefix, so that an id is one flat
 * string: concatenated strings are serialized to JSON at half the speed.
 */
const letters = Buffer.alloc(PREFIX + 26, '_');
let lastTime = 0;
let sameTime = 0;
/** Maximum of the three characters of the counter. */
const MAX_IN_ONE_MS = 32 ** 3 - 1;

/**
 * Creates an id: a prefix and 26 characters that sort by time, made of 48 bits of milliseconds, a counter within the
 * millisecond so that ids of one process sort by creation, and 64 random bits.
 */
export function newId(kind: IdKind): string {
  // If the counter overflows, use the next millisecond, so that the order holds even if the clock does not advance.
  const full = sameTime === MAX_IN_ONE_MS;
  const time = Math.max(Date.now(), full ? lastTime + 1 : lastTime);
  sameTime = time === lastTime ? sameTime + 1 : 0;
  lastTime = time;
  if (sameTime === 0) {
    let left = time;
    for (let at = 9; at >= 0; at--) {
      put(at, left % 32);
      left = Math.floor(left / 32);
    }
  }
  put(10, sameTime >> 10);
  put(11, sameTime >> 5);
  put(12, sameTime);
  if (used + 13 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let at = 13; at < 26; at++) put(at, pool[used++] as number);
  letters.write(idPrefixes[kind], 'latin1');
  return letters.toString('latin1');
}

const put = (at: number, value: number): void => {
  letters[PREFIX + at] = alphabet[value & 31] as number;
};

/** Returns a prefix that sorts before every id of this kind that is made at this time or later. */
export function idsFrom(kind: IdKind, time: number): string {
  let [text, left] = ['', Math.max(0, time)];
  for (let at = 0; at < 10; at++) {
    text = String.fromCharCode(alphabet[left % 32] as number) + text;
    left = Math.floor(left / 32);
  }
  return `${idPrefixes[kind]}_${text}`;
}
