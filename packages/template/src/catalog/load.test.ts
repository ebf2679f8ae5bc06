import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { INKWELL } from '../testing/inkwell.ts';
import { loadCatalog } from './load.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function catalogOf(files: Record<string, string>): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), 'hortus-')), 'catalog');
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path), { recursive: true });
    if (text !== '') await writeFile(join(folder, path, 'template.yaml'), text);
  }
  return folder;
}

describe('loadCatalog', () => {
  it('reads every species with its spec and hash', async () => {
    const [inkwell] = await loadCatalog(await catalogOf({ 'blog/inkwell': INKWELL }));
    expect(inkwell).toMatchObject({
      family: 'blog',
      species: 'inkwell',
      findings: [],
      file: 'catalog/blog/inkwell/template.yaml',
    });
    expect(inkwell?.specHash).toMatch(/^sha256:/);
  });

  it('requires folders to be named after their content and to contain a template', async () => {
    const loaded = await loadCatalog(await catalogOf({ 'cms/ink': INKWELL, 'cms/void': '', 'cms/wrong': 'a: [' }));
    expect(loaded.map(({ findings }) => findings.map(({ code, path }) => `${code} ${path}`.trim()))).toEqual([
      ['folder slug', 'folder taxonomy.family'],
      ['no-template'],
      expect.arrayContaining(['yaml']),
    ]);
  });

  it('knows the stamp of a whole run, as long as the template stays the same', async () => {
    const folder = await catalogOf({ 'blog/inkwell': INKWELL });
    const stamp = (text: string) => writeFile(join(folder, 'blog/inkwell/verified.json'), text);
    const load = async () => (await loadCatalog(folder))[0];
    const spec_hash = (await load())?.specHash ?? '';
    const verified = {
      at: '2030-01-31T12:00:00.000Z',
      digest: `sha256:${'1'.repeat(64)}`,
      spec_hash,
      arch: 'arm64',
      steps: ['deploy', 'smoke'],
    };
    await stamp(JSON.stringify(verified));
    expect(await load()).toMatchObject({ verified, specHash: spec_hash, findings: [] });
    await stamp(JSON.stringify({ ...verified, spec_hash: `sha256:${'2'.repeat(64)}` }));
    const stale = await load();
    expect(stale?.verified).toBeUndefined();
    expect(stale?.findings).toEqual([]);
    for (const text of ['{', '[]', JSON.stringify({ ...verified, at: 'yesterday' })]) {
      await stamp(text);
      expect((await load())?.findings.map(({ code }) => code)).toEqual(['stamp']);
    }
  });
});
