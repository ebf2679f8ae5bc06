import type { ShelfItem } from '@hortus/contract/resources/catalog';
import { expect, it } from 'vitest';
import { findSpecies } from './search.ts';

const item = (species: string, name: string, family: string, tags: string[], description: string) =>
  ({ species, name, family, tags, description }) as ShelfItem;
const families = [
  { family: 'blog', name: 'Blogs', description: 'Publishing posts', kingdom: 'applications', count: 2 },
  { family: 'database', name: 'Databases', description: '', kingdom: 'data', count: 1 },
];
const all = [
  item('ghost', 'Ghost', 'blog', ['newsletter'], 'A publishing platform with its own MySQL.'),
  item('mysql', 'MySQL', 'database', ['sql'], 'A relational database.'),
  item('wordpress', 'WordPress', 'blog', ['cms'], 'Pages for everyone.'),
];
const found = (question: string) => findSpecies(question, all, families).map(({ species }) => species);

it('a name counts more than a tag, a tag more than a description', () => {
  expect(found('mysql')).toEqual(['mysql', 'ghost']);
  expect(found('newsletter')).toEqual(['ghost']);
});

it('every word must be found, in any place and any case', () => {
  expect(found('BLOG cms')).toEqual(['wordpress']);
  expect(found('blog sql')).toEqual(['ghost']);
  expect(found('blog nothing')).toEqual([]);
});

it('an empty question finds everything in the given order', () => {
  expect(found('  ')).toEqual(['ghost', 'mysql', 'wordpress']);
});
