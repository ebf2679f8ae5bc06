import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, describe, expect, it } from 'vitest';
import { sourcesOf } from './compose.ts';
import { chapters, Knowledge } from './knowledge.ts';

const folder = temporaryFolder('knowledge');
mkdirSync(folder.path, { recursive: true });
writeFileSync(
  join(folder.path, 'use.md'),
  `# Inkwell
A blog with comments and a newsletter. It needs a database.
# Postgres
A relational database for applications.
# Backups
Volumes that are critical are backed up daily, and a database is dumped first.
# Café
A guest book for restaurants.
`,
);
afterAll(() => folder[Symbol.asyncDispose]());

const emptyCatalog = { published: {}, newest: () => [], newestOf: () => undefined };
const knowledge = new Knowledge(emptyCatalog, [folder.path]);
const titles = async (question: string) => (await knowledge.search(question)).map(({ title }) => title);

describe('the knowledge of the assistant', () => {
  it.each([
    ['blogs', 'Inkwell'],
    ['Which DATABASE is relational?', 'Postgres'],
    ['relat', 'Postgres'],
    ['cafe', 'Café'],
    ['backup of a database', 'Backups'],
    ['what is a blog with comments, and which database does it need', 'Inkwell'],
  ])('finds by words and prefixes, without case, accents and plurals: %s', async (question, title) => {
    expect((await titles(question))[0]).toBe(title);
  });

  it.each(['zeppelin', 'what is the', '', '???'])('finds nothing for unknown words or none: %j', async (question) => {
    expect(await titles(question)).toEqual([]);
  });

  it('quotes the row of a table that answers, not the whole table', () => {
    const rows = [
      '| key | how |',
      '| --- | --- |',
      ...Array.from({ length: 20 }, (_, i) => `| part ${i} | by ${'x'.repeat(30)} |`),
    ];
    const [passage] = chapters('/docs/t.md', ['# Keys', ...rows, '| master key | hortus rotate |'].join('\n'));
    const [source] = sourcesOf(passage ? [passage] : [], 'rotate the master key');
    expect(source?.excerpt).toContain('master key hortus rotate');
    expect(source?.excerpt).not.toContain('---');
  });

  it('omits passages that share only a small part of the question', async () => {
    expect(await titles('relational zeppelin hovercraft eels')).toEqual([]);
  });
});

it('documentation is split into chapters, without code blocks', () => {
  const text = '# Start\nRun `it`. See [here](x.md).\n```sh\n# not a chapter\n```\n## Stop\nCtrl-C.\n## Empty\n';
  expect(chapters('/docs/use.md', text)).toEqual([
    { title: 'Start', text: 'Run it. See here.', source: { type: 'documentation', reference: 'use.md: Start' } },
    { title: 'Stop', text: 'Ctrl-C.', source: { type: 'documentation', reference: 'use.md: Stop' } },
  ]);
});
