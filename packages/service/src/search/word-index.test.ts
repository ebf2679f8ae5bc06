import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordIndex } from './word-index.ts';
import { withinOneSlip, wordsOf } from './words.ts';

const shelf = {
  postgres: ['PostgreSQL', 'The relational database'],
  timescale: ['TimescaleDB', 'PostgreSQL for series of measurements'],
  redis: ['Redis', 'Keys and values in memory'],
  cafe: ['Café', 'Coffee, with a database of beans'],
};
const index = new WordIndex(Object.keys(shelf), (slug) => {
  const [name = '', description = ''] = shelf[slug as keyof typeof shelf];
  return [
    { text: name, weight: 10 },
    { text: description, weight: 1 },
  ];
});
const find = (question: string) => [...index.search(question)].sort(([, a], [, b]) => b - a).map(([slug]) => slug);

describe('a word index', () => {
  it.each([
    ['a whole word, names before descriptions', 'postgresql', ['postgres', 'timescale']],
    ['beginnings', 'post', ['postgres', 'timescale']],
    ['a single letter', 'r', ['redis', 'postgres']],
    ['every word, in any order', 'memory redis', ['redis']],
    ['nothing when one word is missing', 'redis beans', []],
    ['letters without their accents, and with them', 'cafe', ['cafe']],
    ['', 'CAFÉ', ['cafe']],
    ['one slip: a letter wrong', 'postgrasql', ['postgres', 'timescale']],
    ['one slip: two letters swapped', 'reids', ['redis']],
    ['one slip: a letter too few', 'memry', ['redis']],
    ['no second slip', 'rtdxs', []],
    ['no slip in a short word', 'ka', []],
    ['nothing for nothing', ' -- ', []],
  ])('finds %s: %s', (_, question, expected) => {
    expect(find(question)).toEqual(expected);
  });

  it('finds every item by the beginning of each of its words, and by the word with one letter left out', () => {
    fc.assert(
      fc.property(fc.array(fc.lorem({ maxCount: 6 }), { minLength: 1, maxLength: 20 }), fc.nat(), (texts, seed) => {
        const all = new WordIndex(texts.keys(), (at) => [{ text: texts[at] ?? '', weight: 1 }]);
        for (const [at, text] of texts.entries()) {
          const words = wordsOf(text);
          const word = words[seed % words.length] ?? '';
          expect(all.search(word.slice(0, 1 + (seed % word.length))).has(at)).toBe(true);
          expect(all.search(text).has(at)).toBe(true);
        }
      }),
    );
  });
});

it('one slip is what the distance of strings says', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
  fc.assert(
    fc.property(letters, letters, (a, b) => {
      expect(withinOneSlip(a, b)).toBe(neighbours(a).has(b));
    }),
    { numRuns: 2000 },
  );

  function neighbours(word: string): Set<string> {
    const found = new Set([word]);
    for (let at = 0; at <= word.length; at++) {
      const [before, after] = [word.slice(0, at), word.slice(at)];
      found.add(before + after.slice(1));
      found.add(before + (after[1] ?? '') + (after[0] ?? '') + after.slice(2));
      for (const letter of 'abc') found.add(before + letter + after).add(before + letter + after.slice(1));
    }
    return found;
  }
});
