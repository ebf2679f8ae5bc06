import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { canonical, specHash } from '../canonical/canonical.ts';
import { INKWELL, SEED } from '../testing/inkwell.ts';
import { validate } from '../validate.ts';
import { checkCatalog } from './check.ts';
import { shuffled } from './shuffle.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function writeCatalog(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hortus-check-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

const checked = async (folder: string, corpora?: string) => {
  const { findings } = await checkCatalog(folder, corpora === undefined ? {} : { corpora });
  return [...findings.values()].flat().map(({ code, path, line, column }) => `${code} ${path} ${line}:${column}`);
};

/** Runs the program; the exit code counts. */
async function run(...args: string[]): Promise<{ code: number; stdout: string }> {
  const program = join(ROOT, 'packages/template/src/catalog-check/check-catalog.ts');
  return promisify(execFile)(process.execPath, [program, ...args], { cwd: ROOT }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }) => ({ code, stdout }),
  );
}

describe('catalog:check', () => {
  it('passes for the catalog of this repository', async () => {
    const { code, stdout } = await run('catalog');
    expect(stdout).toMatch(/^\d+ species in \d+ families .*: 0 errors, 0 warnings\n$/);
    expect(code).toBe(0);
  }, 180_000);

  it('fails on a warning and shows its position', async () => {
    const folder = await writeCatalog({ 'test/seed/template.yaml': SEED.replace('tag: 1.36.1', 'tag: latest') });
    const { code, stdout } = await run(folder);
    expect(code).toBe(1);
    expect(stdout).toContain('template.yaml:7:53: warning floating-tag');
    expect(stdout).toContain('    | '.padEnd(6 + 52));
    expect(stdout).toContain('0 errors, 1 warnings');
  });

  it('fails if there is nothing to check', async () => {
    expect(await run(await writeCatalog({}))).toMatchObject({ code: 1, stdout: expect.stringContaining('0 species') });
  });

  it('finds errors that only occur when a template is resolved', async () => {
    const text = INKWELL.replace('name: SITE_TITLE, type: string, default: My blog', 'name: SITE_TITLE, type: path');
    const folder = await writeCatalog({
      'blog/inkwell/template.yaml': text.replace('max: 80', 'pattern: /x/.*'),
      'cms/inkwell/template.yaml': INKWELL.replace('family: blog', 'family: cms'),
    });
    expect(await checked(folder)).toEqual(['rehearsal inputs.SITE_TITLE 12:1', 'duplicate slug 2:7']);
  });

  it('requires a family to be in one kingdom', async () => {
    const seed = (slug: string, kingdom: string) =>
      SEED.replace('slug: seed', `slug: ${slug}`).replace('kingdom: applications', `kingdom: ${kingdom}`);
    const folder = await writeCatalog({
      'test/one/template.yaml': seed('one', 'data'),
      'test/two/template.yaml': seed('two', 'assets'),
      'test/three/template.yaml': seed('three', 'data'),
    });
    expect(await checked(folder)).toEqual(['kingdom taxonomy.kingdom 6:21']);
  });

  it('compares image tags with known ones', async () => {
    const folder = await writeCatalog({
      'blog/inkwell/template.yaml': INKWELL,
      'test/seed/template.yaml': `${SEED}unverified: true\n`,
    });
    const corpora = await writeCatalog({
      'one/compose.yaml': 'image: "postgres:17.5" # and registry.example.org/inkwell/inkwell:4.2.1',
      'two.yaml': 'image: registry.example.org/inkwell/inkwell:${TAG:-4.2.2-alpine}',
    });
    expect(await checked(folder, corpora)).toEqual(['unknown-tag image.variants[1].tag 11:73']);
    const { stdout } = await run(folder, '--corpora', corpora);
    expect(stdout).toContain('did you mean 4.2.2-alpine? Otherwise set unverified: true');
  });

  it('reads known tags from a table, and takes another flavour of an official image as proof', async () => {
    const folder = await writeCatalog({ 'blog/inkwell/template.yaml': INKWELL });
    const table = (inkwell: string) =>
      `# a comment\nrepository\ttag\tdigest\nregistry.example.org/inkwell/inkwell\t${inkwell}\t\nregistry.example.org/inkwell/inkwell\t4.2.1-alpine\ndocker.io/library/postgres\t17.5-alpine\tsha256:0\n`;
    expect(await checked(folder, await writeCatalog({ 'versions.tsv': table('4.2.1') }))).toEqual([]);
    expect(await checked(folder, await writeCatalog({ 'versions.tsv': table('4.2.0') }))).toEqual([
      'unknown-tag image.variants[0].tag 11:32',
    ]);
  });

  it('requires the source and the licence of every logo, and a drawing that cannot do anything else', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>';
    const facts = { source: 'https://seed.example.org', license: 'MIT', author: 'The Seed authors' };
    const messages = async (files: Record<string, string>) => {
      const beside = Object.entries(files).map(([name, text]) => [`test/seed/${name}`, text]);
      const folder = await writeCatalog({ 'test/seed/template.yaml': SEED, ...Object.fromEntries(beside) });
      return [...(await checkCatalog(folder)).findings.values()]
        .flat()
        .map(({ code, message }) => `${code}: ${message}`);
    };
    const json = (changed: object) => JSON.stringify({ ...facts, ...changed });
    expect(await messages({ 'icon.svg': svg, 'icon.json': json({}) })).toEqual([]);
    expect(await messages({ 'icon.svg': svg })).toEqual([
      'logo: icon.svg needs icon.json with its source, license and author',
    ]);
    expect(await messages({ 'icon.json': json({}) })).toEqual(['logo: icon.json describes no icon.svg']);
    expect(await messages({ 'icon.svg': svg, 'icon.json': json({ license: 'proprietary' }) })).toEqual([
      expect.stringMatching(/^logo: icon.json license must be one of Apache-2.0, /),
    ]);
    expect(await messages({ 'icon.svg': svg, 'icon.json': json({ source: 'http://a' }) })).toEqual([
      expect.stringMatching(/^logo: icon.json source must match pattern/),
    ]);
    expect(await messages({ 'icon.svg': svg.replace('<path', '<script/><path'), 'icon.json': json({}) })).toEqual([
      'logo: icon.svg has the element script, which is not allowed',
    ]);
  });

  it('reports a hash that differs from another run', async () => {
    const folder = await writeCatalog({ 'test/seed/template.yaml': SEED });
    const { findings } = await checkCatalog(folder, { earlier: {} });
    expect([...findings.values()].flat()).toMatchObject([{ code: 'unstable-hash', line: 2, column: 1 }]);
  });
});

it('the hash of a template does not depend on the order of its keys', () => {
  const { template } = validate(INKWELL);
  if (!template) throw new Error('The fixture is not a template.');
  const hash = specHash(canonical(template));
  fc.assert(
    fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), (stream) => {
      expect(specHash(canonical(shuffled(template, () => stream.next().value as number)))).toBe(hash);
    }),
    { numRuns: process.env.HORTUS_TEST_LONG ? 500 : 50 },
  );
});
