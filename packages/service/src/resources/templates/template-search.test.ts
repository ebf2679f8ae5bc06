import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../search/words.ts';
import { type SearchedTemplate, TemplateSearch } from './template-search.ts';

const template = (name: string, description: string): SearchedTemplate => ({
  name,
  species: '',
  family: '',
  description,
  taxonomy: { tags: [] },
});
const catalog = [
  template('PostgreSQL', 'The relational database'),
  template('TimescaleDB', 'PostgreSQL for series of measurements'),
  template('Redis', 'Keys and values in memory'),
  template('Café', 'Coffee, with a database of beans'),
];
const namesIn = (found: Map<SearchedTemplate, number>) =>
  [...found].sort(([, a], [, b]) => b - a).map(([{ name }]) => name);
const search = TemplateSearch.build(catalog);

describe('the search for templates', () => {
  it.each([
    ['a whole word, names before descriptions', 'postgresql', ['PostgreSQL', 'TimescaleDB']],
    ['prefixes', 'post', ['PostgreSQL', 'TimescaleDB']],
    ['a single letter', 'r', ['Redis', 'PostgreSQL']],
    ['every word, in any order', 'memory redis', ['Redis']],
    ['nothing when one word is missing', 'redis beans', []],
    ['letters without their accents, and with them', 'cafe', ['Café']],
    ['', 'CAFÉ', ['Café']],
    ['one typo: a letter wrong', 'postgrasql', ['PostgreSQL', 'TimescaleDB']],
    ['one typo: two letters swapped', 'reids', ['Redis']],
    ['one typo: a letter too few', 'memry', ['Redis']],
    ['one typo in one of two words', 'redis memry', ['Redis']],
    ['nothing with two typos', 'rtdxs', []],
    ['nothing with a typo in a short word', 'ka', []],
    ['nothing for a question without words', ' -- ', []],
  ])('finds %s: %s', async (_, question, expected) => {
    expect(namesIn((await search).search(question))).toEqual(expected);
  });

  it("ranks an account's only template, named by the question, above one of many that mentions it", async () => {
    const [mentioned = 0] = (await search).search('postgresql measurements').values();
    const own = await TemplateSearch.build([template('PostgreSQL', 'with measurements')]);
    const [named = 0] = own.search('postgresql measurements').values();
    expect(named).toBeGreaterThan(mentioned);
  });

  it('finds every template by the prefix of each of its words, and by all of its words', async () => {
    const text = fc.lorem({ maxCount: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), fc.nat(), async (texts, seed) => {
        const all = texts.map((description) => template('', description));
        const every = await TemplateSearch.build(all);
        for (const template of all) {
          const words = wordsOf(template.description);
          const word = words[seed % words.length] ?? '';
          expect(every.search(word.slice(0, 1 + (seed % word.length))).has(template)).toBe(true);
          expect(every.search(template.description).has(template)).toBe(true);
        }
      }),
    );
  });
});
