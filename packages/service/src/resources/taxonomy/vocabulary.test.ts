import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { families, kingdoms, term } from './vocabulary.ts';

it('the vocabulary has an entry for every family of the catalog', () => {
  const shelves = readdirSync(new URL('../../../../../catalog', import.meta.url), { withFileTypes: true });
  for (const { name } of shelves.filter((entry) => entry.isDirectory())) {
    expect(term(families, name).description, name).not.toBe('');
  }
});

it('an unknown family is named by its slug', () => {
  expect(term(families, 'bee_keeping')).toEqual({ name: 'Bee keeping', description: '' });
  for (const slug of ['constructor', 'toString']) expect(term(kingdoms, slug).description).toBe('');
});
