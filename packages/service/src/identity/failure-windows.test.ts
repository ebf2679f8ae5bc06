import { expect, it } from 'vitest';
import { FailureWindows, MAX_KEPT } from './failure-windows.ts';

it('a flood of random keys neither grows memory nor erases the count of a key under attack', () => {
  const windows = new FailureWindows(() => 0);
  for (let i = 0; i < 10; i++) windows.add('under attack');
  for (let i = 0; i < 3 * MAX_KEPT; i++) windows.add(`random ${i}`);
  expect(windows.size).toBe(MAX_KEPT);
  expect(windows.add('under attack')).toBe(11);
});

it('expired windows are dropped before those that still count', () => {
  let now = 0;
  const windows = new FailureWindows(() => now);
  for (let i = 0; i < 10; i++) windows.add('expired');
  now = 15 * 60_000;
  windows.add('counting');
  for (let i = 0; i < MAX_KEPT - 1; i++) windows.add(`random ${i}`);
  expect(windows.add('counting')).toBe(2);
  expect(windows.add('expired')).toBe(1);
});

it('undoing a failure of a window that has ended changes nothing', () => {
  let now = 0;
  const windows = new FailureWindows(() => now);
  windows.add('key');
  now = 15 * 60_000;
  windows.takeBack('key');
  windows.takeBack('never counted');
  expect(windows.add('key')).toBe(1);
});
