import { editorSchema } from '@hortus/contract/template/editor-schema';
import { describe, expect, it } from 'vitest';
import { type Schema, suggestionsAt } from './suggestions.ts';

const schema = JSON.parse(JSON.stringify(editorSchema('https://hortus.example.org'))) as Schema;
/** `|` is the cursor. */
const labels = (marked: string) => {
  const offset = marked.indexOf('|');
  return suggestionsAt(marked.replace('|', ''), offset, schema).all.map(({ label }) => label);
};

describe('completion in the editor of templates', () => {
  it('suggests keys of the template, required ones first, without those that are there', () => {
    const found = labels('name: Pond\n|\nversion: 1.0.0\n');
    expect(found.slice(0, 3)).toEqual(expect.arrayContaining(['slug', 'archetype', 'taxonomy']));
    expect(found).not.toContain('name');
    expect(found).not.toContain('version');
    expect(labels('sl|')).toEqual(['slug']);
  });

  it('suggests keys of nested mappings, of named ones and of items of lists', () => {
    expect(labels('taxonomy:\n  |')).toEqual(expect.arrayContaining(['kingdom', 'family', 'tags']));
    expect(labels('components:\n  app:\n    dep|')).toEqual(['depends_on']);
    expect(labels('routes:\n  - name: web\n    po|')).toEqual(['port']);
    expect(labels('routes:\n  - name: web\n    port: 80\n    |')).not.toContain('name');
    expect(labels('actions:\n  - name: Dump\n    slug: dump\n  - na|')).toEqual(['name']);
  });

  it('suggests the values of an enumeration, of a truth and of examples', () => {
    expect(labels('archetype: a|')).toEqual(['application', 'asset']);
    expect(labels('featured: |')).toEqual(['true', 'false']);
    expect(labels('taxonomy:\n  kingdom: app|')).toEqual(['applications']);
  });

  it('suggests nothing inside of brackets and quotes, and nothing for an unknown key', () => {
    for (const text of ['image: {re|', 'name: "a|', 'nothing:\n  a|']) expect(labels(text), text).toEqual([]);
  });

  it('continues a mapping and a list on the next line', () => {
    const { all } = suggestionsAt('tax', 3, schema);
    expect(all[0]?.text).toBe('taxonomy:\n  ');
    expect(suggestionsAt('acti', 4, schema).all[0]?.text).toBe('actions:\n  - ');
  });
});
