import { expect, it } from 'vitest';
import { chosenRange, shownSpan } from './range.ts';

const now = Date.parse('2026-11-19T12:00:00Z');
const minutes = (count: number) => count * 60_000;

it('an instance younger than the chosen range is shown from its beginning, in the steps of the shortest range that fits', () => {
  const born = now - minutes(2);
  expect(shownSpan('24h', born, now)).toEqual({ range: '1h', from: born, words: 'since it was created' });
  expect(shownSpan('1h', born, now)).toEqual({ range: '1h', from: born, words: 'since it was created' });
  const yesterday = now - minutes(60 * 20);
  expect(shownSpan('7d', yesterday, now)).toEqual({ range: '24h', from: yesterday, words: 'since it was created' });
});

it('an older one is shown over the chosen range', () => {
  expect(shownSpan('1h', now - minutes(90), now)).toEqual({ range: '1h', from: now - minutes(60), words: 'last hour' });
  expect(shownSpan('24h', 0, now)).toMatchObject({ range: '24h', words: 'last 24 h' });
});

it('a clock of the browser that is behind shows no negative life', () => {
  expect(shownSpan('24h', now + minutes(5), now)).toMatchObject({ range: '1h' });
});

it('an unknown range in the URL is a day', () => {
  expect(chosenRange('1y').range).toBe('24h');
  expect(chosenRange(undefined).range).toBe('24h');
});
