import type { Comparison } from '@hortus/template/upgrade/compare';
import { expect, it } from 'vitest';
import { KeptComparisons } from './kept-comparisons.ts';

const comparison = (note: string): Comparison => ({
  changes: [],
  conflicts: [],
  newInputs: [],
  irreversible: [],
  notes: [{ from: '1.0.0', note }] as never,
  data: 'kept',
});
const size = JSON.stringify(comparison('a')).length;

it('returns what was kept for the same key', () => {
  const kept = new KeptComparisons();
  kept.keep('one', comparison('a'));
  expect(kept.get('one')).toEqual(comparison('a'));
  expect(kept.get('two')).toBeUndefined();
});

it('forgets the oldest when full', () => {
  const kept = new KeptComparisons(2 * size);
  for (const key of ['one', 'two', 'three']) kept.keep(key, comparison('a'));
  expect(['one', 'two', 'three'].map((key) => kept.get(key) !== undefined)).toEqual([false, true, true]);
});

it('does not keep what is larger than its limit, nor forgets others for it', () => {
  const kept = new KeptComparisons(2 * size);
  kept.keep('one', comparison('a'));
  kept.keep('long', comparison('a'.repeat(2 * size)));
  expect(kept.get('long')).toBeUndefined();
  expect(kept.get('one')).toBeDefined();
});

it('counts a key once', () => {
  const kept = new KeptComparisons(2 * size);
  for (const key of ['one', 'one', 'one', 'two']) kept.keep(key, comparison('a'));
  expect(kept.get('one')).toBeDefined();
  expect(kept.get('two')).toBeDefined();
});
