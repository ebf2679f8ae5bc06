import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INKWELL, SEED } from '@hortus/template/testing/inkwell';

/** Template with an external secret and an immutable input, without variants and app_version. */
const COURIER = `
slug: courier
name: Courier
version: 1.0.0
archetype: worker
featured: true
taxonomy: {kingdom: infrastructure, family: networking}
image: {repository: docker.io/library/busybox, tag: 1.36.1}
inputs:
  optional: [{name: REGION, type: string, default: north, immutable: true}]
secrets:
  API_TOKEN: {external: true}
env: {API_TOKEN: "\${secrets.API_TOKEN}", REGION: "\${inputs.REGION}"}
`;

/** Logo of Inkwell; the other templates have none. */
export const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#336699" d="M0 8L4 0l4 8z"/></svg>';
const LOGO_FACTS = { source: 'https://inkwell.example.org/logo', license: 'CC-BY-4.0', author: 'The Inkwell authors' };

const shelves = { 'blog/inkwell': INKWELL, 'test/seed': SEED, 'networking/courier': COURIER };

/** Writes a small catalog of known templates, so that tests do not depend on the real one. */
export async function writeCatalog(folder: string): Promise<string> {
  for (const [shelf, text] of Object.entries(shelves)) {
    await mkdir(join(folder, shelf), { recursive: true });
    await writeFile(join(folder, shelf, 'template.yaml'), text);
  }
  await writeFile(join(folder, 'blog/inkwell/icon.svg'), LOGO);
  await writeFile(join(folder, 'blog/inkwell/icon.json'), JSON.stringify(LOGO_FACTS));
  return folder;
}

/** Catalog that `vitest-migrated.ts` writes once for the whole run; services load it from their cache. */
export function sharedCatalog(): string {
  const folder = process.env.HORTUS_TEST_CATALOG;
  if (!folder) throw new Error('HORTUS_TEST_CATALOG is not set; run the tests with `npm test` or `npx vitest`');
  return folder;
}
