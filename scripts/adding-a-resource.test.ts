import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { endpoints } from '@hortus/contract/endpoints';
import { expect, test } from 'vitest';

const checklist = readFileSync('docs/adding-a-resource.md', 'utf8');
const wiring = readFileSync('packages/service/src/wiring/handlers.ts', 'utf8');
const folder = 'packages/service/src/resources';
const resources = readdirSync(folder);

test.each(resources)('%s is built as the checklist says', (resource) => {
  expect(existsSync(`packages/contract/src/resources/${resource}.ts`), 'a contract file of the same name').toBe(true);
  const files = readdirSync(`${folder}/${resource}`);
  expect(files).toContain('routes.ts');
  expect(wiring).toContain(`../resources/${resource}/routes.ts`);
  for (const file of ['service.ts', 'store.ts', 'lifecycle.ts', 'public.ts'].filter((name) => files.includes(name)))
    expect(checklist).toContain(`\`${file}\``);
});

test('every file in the checklist exists', () => {
  const named = [...checklist.matchAll(/`((?:packages|docs|scripts)\/[^`<… ]+)`/g)].map((match) => match[1] as string);
  expect(named.length).toBeGreaterThan(5);
  for (const path of named) expect(existsSync(path), path).toBe(true);
});

test('every endpoint belongs to a resource, except the health of the service', () => {
  // Row names are published as operation ids, so these two keep theirs.
  const named: Readonly<Record<string, string>> = { account: 'sign-in', accounts: 'installation' };
  const known = [...resources, 'health'];
  for (const name of Object.keys(endpoints)) {
    const prefix = name.split('.')[0] ?? '';
    expect(known, name).toContain(named[prefix] ?? prefix);
  }
});
