import { type IdKind, idPattern } from '@hortus/contract/records/ids';
import { idPrefixes } from '@hortus/contract/records/names';
import { afterEach, expect, it, vi } from 'vitest';
import { newId } from './new-id.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const many = (count: number) => Array.from({ length: count }, () => newId('event'));
const isSorted = (ids: readonly string[]) => ids.every((id, i) => i === 0 || (ids[i - 1] as string) < id);

it.each(Object.keys(idPrefixes) as IdKind[])('an id of a %s matches the pattern of the contract', (kind) => {
  expect(newId(kind)).toMatch(new RegExp(idPattern(kind)));
});

it('ids sort by creation time and never repeat', () => {
  const ids = many(100_000);
  expect(new Set(ids).size).toBe(ids.length);
  expect(isSorted(ids)).toBe(true);
});

it('ids of one millisecond sort by creation', () => {
  const now = Date.now() + 1_000;
  vi.spyOn(Date, 'now').mockReturnValue(now);
  const ids = many(70_000);
  expect(new Set(ids).size).toBe(ids.length);
  expect(isSorted(ids)).toBe(true);
});

it('ids stay in order when the clock is set back', () => {
  const now = Date.now() + 60_000;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  const before = newId('event');
  clock.mockReturnValue(now - 3_600_000);
  expect(isSorted([before, ...many(1_000)])).toBe(true);
});

it('an id contains its creation time', () => {
  const now = Date.now() + 120_000;
  vi.spyOn(Date, 'now').mockReturnValue(now);
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  const time = [...newId('event').slice(4, 14)].reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0);
  expect(time).toBe(now);
});
