import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chapters } from './knowledge.ts';
import { SearchIndex, words } from './search-index.ts';

const garden = [
  { title: 'Inkwell', text: 'A blog with comments and a newsletter. It needs a database.' },
  { title: 'Postgres', text: 'A relational database for applications.' },
  { title: 'Backups', text: 'Volumes that are critical are backed up daily, and a database is dumped first.' },
  { title: 'Café', text: 'A guest book for restaurants.' },
];
const titles = (question: string) => new SearchIndex(garden).search(question, 3).map(({ passage }) => passage.title);

describe('the index', () => {
  it('finds by words, by their beginnings, without case, accents and plurals', () => {
    expect(titles('blogs')[0]).toBe('Inkwell');
    expect(titles('Which DATABASE is relational?')[0]).toBe('Postgres');
    expect(titles('relat')[0]).toBe('Postgres');
    expect(titles('cafe')[0]).toBe('Café');
    expect(titles('backup of a database')[0]).toBe('Backups');
  });

  it('finds nothing for words that nobody uses, and nothing for none', () => {
    for (const question of ['zeppelin', 'what is the', '', '???']) expect(titles(question)).toEqual([]);
  });

  it('knows how much of a question a passage speaks of', () => {
    const [hit] = new SearchIndex(garden).search('relational zeppelin hovercraft eels', 1);
    expect(hit?.coverage).toBeLessThan(0.34);
  });

  it('finds every passage by its own title, and sorts by score', () => {
    const text = fc.stringMatching(/^[a-z]{4,8}( [a-z]{4,8}){0,5}$/);
    const passages = fc.array(fc.record({ title: text, text }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(passages, (all) => {
        const index = new SearchIndex(all);
        for (const { title } of all) {
          if (words(title).length === 0) continue;
          const hits = index.search(title, all.length);
          expect(hits.map(({ passage }) => passage.title)).toContain(title);
          for (const [at, { score, coverage }] of hits.entries()) {
            expect(score).toBeLessThanOrEqual(hits[at - 1]?.score ?? Number.POSITIVE_INFINITY);
            expect(coverage).toBeGreaterThan(0);
            expect(coverage).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });
});

it('takes documentation apart by its chapters, without code', () => {
  const text = '# Start\nRun `it`. See [here](x.md).\n```sh\n# not a chapter\n```\n## Stop\nCtrl-C.\n## Empty\n';
  expect(chapters('/docs/use.md', text)).toEqual([
    { title: 'Start', text: 'Run it. See here.', source: { type: 'documentation', reference: 'use.md: Start' } },
    { title: 'Stop', text: 'Ctrl-C.', source: { type: 'documentation', reference: 'use.md: Stop' } },
  ]);
});
