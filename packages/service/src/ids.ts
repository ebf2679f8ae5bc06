import { randomFillSync } from 'node:crypto';
import { type IdKind, idPrefixes } from '@hortus/contract/ids';

const alphabet = Buffer.from('0123456789abcdefghjkmnpqrstvwxyz', 'latin1');

/** Random bytes are drawn by the page: asking the system for ten at a time is most of an id's cost. */
const pool = Buffer.alloc(4096);
let used = pool.length;

const PREFIX = 'xyz_'.length;

/**
 * The id that was made last: the next one of the same millisecond has the same time. The prefix is in it as well, so that
 * an id is one piece of memory: a text that is joined of two is written as JSON at half the speed.
 */
const letters = Buffer.alloc(PREFIX + 26, '_');
let lastTime = 0;
let sameTime = 0;
/** What the three characters of the counter can count to. */
const MOST_IN_ONE_MS = 32 ** 3 - 1;

/**
 * A prefix and 26 characters that sort by time: 48 bits of milliseconds, then a counter within the millisecond so that
 * ids of one process sort by birth, then 64 random bits.
 */
export function newId(kind: IdKind): string {
  // A millisecond that is full borrows from the next, so that the order holds when the clock stands still as well.
  const full = sameTime === MOST_IN_ONE_MS;
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
