import { expect, it } from 'vitest';
import { CachedResults } from './cached-results.ts';

const result = (note: string) => ({ notes: [note] });
const size = JSON.stringify(result('a')).length;

it('returns what was kept for the same key', () => {
  const kept = new CachedResults();
  kept.keep('one', result('a'));
  expect(kept.get('one')).toEqual(result('a'));
  expect(kept.get('two')).toBeUndefined();
});

it('forgets the oldest when full', () => {
  const kept = new CachedResults(2 * size);
  for (const key of ['one', 'two', 'three']) kept.keep(key, result('a'));
  expect(['one', 'two', 'three'].map((key) => kept.get(key) !== undefined)).toEqual([false, true, true]);
});

it('does not keep what is larger than its limit, nor forgets others for it', () => {
  const kept = new CachedResults(2 * size);
  kept.keep('one', result('a'));
  kept.keep('long', result('a'.repeat(2 * size)));
  expect(kept.get('long')).toBeUndefined();
  expect(kept.get('one')).toBeDefined();
});

it('counts a key once', () => {
  const kept = new CachedResults(2 * size);
  for (const key of ['one', 'one', 'one', 'two']) kept.keep(key, result('a'));
  expect(kept.get('one')).toBeDefined();
  expect(kept.get('two')).toBeDefined();
});
