import { expect, test } from 'vitest';
import { ago, disk, durationOf, lasting, memory } from './words.ts';

const now = Date.parse('2030-01-10T12:00:00Z');
const before = (ms: number) => ago(new Date(now - ms).toISOString(), now);

test('times are shown relative to now', () => {
  expect(ago(null, now)).toBe('never');
  expect(before(-5000)).toBe('just now');
  expect(before(42_000)).toBe('42 s ago');
  expect(before(6.5 * 60_000)).toBe('6 min ago');
  expect(before(26 * 3_600_000)).toBe('26 h ago');
  expect(before(5 * 86_400_000)).toBe('5 days ago');
});

test('durations and sizes are shown with units', () => {
  expect(lasting(6230)).toBe('6.2 s');
  expect(lasting(125_000)).toBe('2 min 5 s');
  expect(lasting(3_720_000)).toBe('1 h 2 min');
  expect(memory(512 * 1024 ** 2)).toBe('512 MiB');
  expect(memory(1.5 * 1024 ** 3)).toBe('1.5 GiB');
  expect(disk(150e9)).toBe('150 GB');
  expect(disk(0)).toBe('0 B');
});

test('a duration with units is parsed', () => {
  expect(durationOf('90')).toBe(90_000);
  expect(durationOf('1h30m')).toBe(5_400_000);
  for (const nonsense of ['', 'soon', '5d', '-3s', '1.5h']) expect(durationOf(nonsense)).toBeUndefined();
});
