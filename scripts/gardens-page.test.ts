import { readFileSync } from 'node:fs';
import { forgeSettings } from '@hortus/contract/forge-settings';
import { readGarden } from '@hortus/garden/reading';
import { keyOf, referencesIn, resolved } from '@hortus/garden/references';
import { loadCatalog } from '@hortus/template/catalog/load';
import { checkInputs } from '@hortus/template/inputs/inputs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/gardens.md', 'utf8');
const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);

test('the examples of the page are gardens, and their inputs are those of the catalog', async () => {
  expect(examples).toHaveLength(3);
  const catalog = await loadCatalog('catalog');
  for (const example of examples) {
    const { garden, problems } = readGarden(example.includes('name: home') ? example : `name: home\n${example}`);
    expect(problems).toEqual([]);
    const values = Object.fromEntries(referencesIn(garden).map((reference) => [keyOf(reference), 'some-long-value']));
    for (const [uid, { species, inputs = {} }] of Object.entries(garden?.definitions ?? {})) {
      const spec = catalog.find((template) => template.species === species)?.spec;
      expect(spec, species).toBeDefined();
      if (spec)
        expect(checkInputs(spec, resolved(inputs, values), { mode: 'create' }), uid).toMatchObject({ ok: true });
    }
  }
});

test('the page lists for each forge what the command line and the console tell to enter', () => {
  for (const { name, menu, url, secret, choices, token } of Object.values(forgeSettings)) {
    const also = choices.map(([label, choice]) => `${label}: ${choice}`).join(', ');
    expect(page).toContain(`| ${[name, menu.join(' > '), url, secret, also, token].join(' | ')} |`);
  }
});
