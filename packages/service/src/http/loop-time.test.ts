import { setImmediate as iteration } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { guardWith } from '../process/guard.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { LoopTime } from './loop-time.ts';

const guard = guardWith(new QuietLog());

function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('work is deferred once an iteration of the event loop has used its time, and continues in order', async () => {
  const loop = new LoopTime(guard);
  expect(loop.isSpent).toBe(false);
  busy(5);
  const done: number[] = [];
  for (const i of [1, 2, 3]) {
    expect(loop.isSpent).toBe(true);
    void loop.turn().then(() => done.push(i));
  }
  expect(done).toEqual([]);
  while (done.length < 3) await iteration();
  expect(done).toEqual([1, 2, 3]);
  await iteration();
  expect(loop.isSpent).toBe(false);
});

test('deferred work is spread over iterations, so that a probe is answered in between', async () => {
  const loop = new LoopTime(guard);
  const done: number[] = [];
  const atIteration: number[] = [];
  let iterations = 0;
  for (const i of [1, 2, 3, 4])
    void loop.turn().then(() => {
      busy(5);
      done.push(i);
      atIteration.push(iterations);
    });
  while (done.length < 4) {
    await iteration();
    iterations++;
  }
  expect(done).toEqual([1, 2, 3, 4]);
  expect(new Set(atIteration).size).toBe(4);
});

test('new work queues behind deferred work', async () => {
  const loop = new LoopTime(guard);
  const done: string[] = [];
  void loop.turn().then(() => done.push('first'));
  expect(loop.isSpent).toBe(true);
  await loop.turn();
  expect(done).toEqual(['first']);
});
