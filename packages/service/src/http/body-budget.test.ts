import { describe, expect, test } from 'vitest';
import { BodyBudget } from './body-budget.ts';

const KIB = 1024;
const limits = { perCaller: 300 * KIB, total: 500 * KIB, reserve: 20 * KIB };
const tooMuch = { code: 'RATE_LIMITED' };

describe('bytes of request bodies in progress', () => {
  test('are limited for one caller, whatever room is left in all', () => {
    const budget = new BodyBudget(limits);
    budget.open('a').take(200 * KIB);
    const second = budget.open('a');
    second.take(100 * KIB);
    expect(() => second.take(1)).toThrow(expect.objectContaining(tooMuch));
    budget.open('b').take(150 * KIB);
  });

  test('are limited for all callers, with a reserve for small bodies only', () => {
    const budget = new BodyBudget(limits);
    budget.open('a').take(250 * KIB);
    budget.open('b').take(250 * KIB);
    const small = budget.open('c');
    small.take(16 * KIB);
    expect(() => small.take(1)).toThrow(expect.objectContaining(tooMuch));
    expect(() => budget.open('d').take(16 * KIB)).toThrow(expect.objectContaining(tooMuch));
    budget.open('d').take(4 * KIB);
  });

  test('are given back with the response, and a refused chunk takes none', () => {
    const budget = new BodyBudget(limits);
    for (let round = 0; round < 10; round++) {
      const rooms = [budget.open('a'), budget.open('b')];
      for (const room of rooms) room.take(250 * KIB);
      expect(() => rooms[0]?.take(100 * KIB)).toThrow(expect.objectContaining(tooMuch));
      // Idempotent: an answered request may also be closed.
      for (const room of [...rooms, ...rooms]) room.giveBack();
    }
  });
});
