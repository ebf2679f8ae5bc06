import { randomFillSync } from 'node:crypto';
import { type IdKind, idPrefixes } from '@hortus/contract/ids';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Random bytes are drawn by the page: asking the system for ten at a time is most of an id's cost. */
const pool = Buffer.alloc(4096);
let used = pool.length;

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
  let text = '';
  let left = time;
  for (let i = 0; i < 10; i++) {
    text = alphabet[left % 32] + text;
    left = Math.floor(left / 32);
  }
  text += alphabet[(sameTime >> 10) & 31] ?? '';
  text += alphabet[(sameTime >> 5) & 31] ?? '';
  text += alphabet[sameTime & 31] ?? '';
  if (used + 13 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let i = 0; i < 13; i++) text += alphabet[(pool[used++] as number) & 31];
  return `${idPrefixes[kind]}_${text}`;
}
