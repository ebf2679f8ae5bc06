import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { specHash } from '../canonical/canonical.ts';
import { SEED } from '../testing/inkwell.ts';
import { loadCachedCatalog } from './cached-catalog.ts';

let folder: string;
let catalog: string;
let kept: string;

function writeTemplate(text: string): void {
  mkdirSync(join(catalog, 'test/seed'), { recursive: true });
  writeFileSync(join(catalog, 'test/seed/template.yaml'), text);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hortus-kept-'));
  [catalog, kept] = [join(folder, 'catalog'), join(folder, 'kept')];
  mkdirSync(kept);
  writeTemplate(SEED);
});
afterEach(() => rmSync(folder, { recursive: true }));

const hashes = async (keepIn?: string) =>
  (await loadCachedCatalog(catalog, keepIn)).map(({ spec }) => spec && specHash(spec));

it('the cached catalog equals the freshly loaded one', async () => {
  const fresh = await hashes();
  expect(fresh).toEqual([expect.stringMatching(/^sha256:/)]);
  expect([await hashes(kept), await hashes(kept)]).toEqual([fresh, fresh]);
  expect(readdirSync(kept)).toHaveLength(1);
});

it('every change invalidates the cache, which keeps only the current version', async () => {
  const before = await hashes(kept);
  writeTemplate(SEED.replace('name: Seed', 'name: Pip'));
  expect(await hashes(kept)).not.toEqual(before);
  writeTemplate(SEED.replace('name: Seed', 'nme: Pip'));
  expect(await loadCachedCatalog(catalog, kept)).toMatchObject([{ findings: [{ code: 'missing-key' }, {}] }]);
  expect(await loadCachedCatalog(catalog, kept)).toMatchObject([{ findings: [{ code: 'missing-key' }, {}] }]);
  expect(readdirSync(kept)).toHaveLength(1);
});

it('two catalogs with one cache folder do not replace each other', async () => {
  const other = join(folder, 'other');
  cpSync(catalog, other, { recursive: true });
  await loadCachedCatalog(catalog, kept);
  const first = readdirSync(kept);
  await loadCachedCatalog(other, kept);
  expect(readdirSync(kept)).toEqual(expect.arrayContaining(first));
  expect(readdirSync(kept)).toHaveLength(2);
});

it('an unreadable or missing cache is ignored', async () => {
  const fresh = await hashes(kept);
  const [name = ''] = readdirSync(kept);
  writeFileSync(join(kept, name), '{"half');
  expect(await hashes(kept)).toEqual(fresh);
  expect(await hashes(join(folder, 'nowhere'))).toEqual(fresh);
});
