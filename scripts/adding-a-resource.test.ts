import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { endpoints } from '@hortus/contract/endpoints';
import type { Resource } from '@hortus/service/resource';
import { resources } from '@hortus/service/wiring/all-resources';
import { expect, test } from 'vitest';
import { tableRights } from './table-owners.ts';

const page = readFileSync('docs/adding-a-resource.md', 'utf8');
const folder = 'packages/service/src/resources';
const names = readdirSync(folder);
const read = (path: string) => ({ path, text: readFileSync(path, 'utf8') });
const manifests = names.map((name) => read(`${folder}/${name}/resource.ts`));

test.each(names)('%s is in each place that has every resource', (name) => {
  expect(existsSync(`packages/contract/src/resources/${name}.ts`), 'a contract file of the same name').toBe(true);
  expect(read('packages/contract/src/endpoints.ts').text).toContain(`./resources/${name}.ts`);
  expect(Object.keys(resources)).toContain(name);
});

test('the list of resources names each by its folder', () => {
  expect(Object.keys(resources).sort()).toEqual([...names].sort());
});

test.each(Object.entries(resources))('the check of table owners reads the tables of %s', (name, resource) => {
  const { owners, joins } = tableRights(manifests);
  const owned = [...owners].filter(([, folders]) => folders.includes(`resources/${name}`)).map(([table]) => table);
  const declared: Resource<never> = resource;
  expect(owned.sort()).toEqual([...(declared.tables ?? [])].sort());
  expect(joins.get(`resources/${name}`)).toEqual(declared.joins ?? []);
});

test.each(['service.ts', 'store.ts', 'routes.ts', 'lifecycle.ts', 'retention.ts', 'public.ts'])(
  '%s is explained',
  (file) => {
    expect(names.filter((name) => existsSync(`${folder}/${name}/${file}`)).length).toBeGreaterThan(5);
    expect(page).toContain(file);
  },
);

test('every file on the page exists', () => {
  const paths = [...page.matchAll(/`((?:packages|docs|scripts|e2e)\/[^`<…* ]+)`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(30);
  for (const path of paths) expect(existsSync(path), path).toBe(true);
});

/** Rows of the table below a heading. */
const rowsBelow = (heading: string) =>
  (page.split(`## ${heading}\n`)[1]?.split(/\n\n(?!\|)/)[0] ?? '').match(/^\| `/gm)?.length ?? 0;

test('an endpoint takes at most 5 files, a resource at most 12', () => {
  expect(rowsBelow('A new endpoint of a resource')).toBe(5);
  expect(rowsBelow('A new resource')).toBe(12);
});

/** Files that name many resources because they use them; a new resource changes nothing there. */
const users = [
  'packages/cli/src/commands/template-verify.ts',
  'packages/contract/src/channel/channel.ts',
  'packages/service/src/config/settings.ts',
  'packages/service/src/storage/before-baseline.ts',
  'packages/web/src/pages/species/deploy/deploy-form.tsx',
  'scripts/patterns/exceptions.ts',
];

/** So many resources are named only by files that list them, and by the few above. */
const MANY = 9;
/** Imports of so many resources outside of them belong to wiring. */
const MANY_IMPORTS = 5;

const comments = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;
const spellings = (name: string) =>
  new Set([name, name.replaceAll('-', '_'), name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())]);

function namesMany({ text }: { readonly text: string }): boolean {
  const code = text.replaceAll(comments, '');
  const named = names.filter((name) => new RegExp(`\\b(?:${[...spellings(name)].join('|')})\\b`).test(code));
  const imported = names.filter((name) => code.includes(`/resources/${name}/`));
  return named.length >= MANY || imported.length >= MANY_IMPORTS;
}

const apart = ['node_modules', 'dist', 'resources', 'schema-migrations'];

/** Sources outside of the resources; tests name what their scenario needs, and migrations that exist never change. */
const sources = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inner = `${path}/${entry.name}`;
    if (entry.isDirectory()) return apart.includes(entry.name) ? [] : sources(inner);
    return /(?<!\.test)\.tsx?$/.test(entry.name) ? [inner] : [];
  });

test('every file that names many resources is on the page, unless it only uses them', () => {
  const central = ['packages', 'scripts'].flatMap(sources).filter((path) => namesMany(read(path)));
  expect(central.filter((path) => !isOnPage(path))).toEqual(users);
});

const isOnPage = (path: string) =>
  page.includes(path) || page.includes(path.replace(/(testing\/good-requests\/)\w+\.ts$/, '$1<family>.ts'));

test('every endpoint belongs to a resource, except the health of the service', () => {
  // Row names are published as operation ids, so these two keep theirs.
  const named: Readonly<Record<string, string>> = { account: 'sign-in', accounts: 'installation' };
  const known = [...names, 'health'];
  for (const name of Object.keys(endpoints)) {
    const prefix = name.split('.')[0] ?? '';
    expect(known, name).toContain(named[prefix] ?? prefix);
  }
});
