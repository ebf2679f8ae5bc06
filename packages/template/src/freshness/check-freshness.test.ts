import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Canonical } from '../canonical/canonical-form.ts';
import { SEED } from '../testing/inkwell.ts';
import { catalogFreshness } from './catalog-freshness.ts';

const program = join(import.meta.dirname, './check-freshness.ts');
const digest = `sha256:${'a'.repeat(64)}`;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hortus-freshness-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes a catalog with one species and a table, and runs the program. */
async function run(image: string, rows: readonly string[], ...options: string[]) {
  const place = join(folder, 'catalog/test/seed');
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'template.yaml'), SEED.replace(/^image:.*$/m, `image: ${image}`));
  const table = join(folder, 'versions.tsv');
  await writeFile(table, ['# Tags', ...rows, ''].join('\n'));
  const args = [program, table, '--catalog', join(folder, 'catalog'), ...options];
  return promisify(execFile)(process.execPath, args).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

const NEWER = ['docker.io/library/busybox\t1.37.0\t\t1'];

it('fails for an image that is behind, and names the newest version', async () => {
  const { code, stdout } = await run('{repository: docker.io/library/busybox, tag: 1.36.1}', NEWER);
  expect(stdout).toContain('seed\n  behind      docker.io/library/busybox:1.36.1 (image.tag): newest 1.37.0\n');
  expect(stdout).toContain('1 species need a newer version, a digest or a reason.');
  expect(code).toBe(1);
});

it('passes with a stated reason and prints it', async () => {
  const held = '{repository: docker.io/library/busybox, tag: 1.36.1, held: {at: "1.36", reason: Small disks.}}';
  const { code, stdout } = await run(held, NEWER);
  expect(stdout).toContain('  held        docker.io/library/busybox:1.36.1 (image.tag): newest 1.37.0; Small disks.\n');
  expect(stdout).toContain('Nothing is behind without a reason.');
  expect(code).toBe(0);
});

it('lists pins, and prints every comparison as JSON', async () => {
  const pinned = `{repository: docker.io/library/busybox, tag: 1.37.0, digest: "${digest}"}`;
  const pins = await run(pinned, NEWER, '--pins');
  expect(pins.stdout).toBe(`docker.io/library/busybox:1.37.0@${digest}  seed\n1 images are pinned by a digest\n`);
  const { stdout } = await run(pinned, NEWER, '--json');
  expect(JSON.parse(stdout)).toMatchObject([{ species: 'seed', path: 'image.tag', verdict: 'current', pinned: true }]);
});

it('names the line of a broken table', async () => {
  const { code, stderr } = await run('{repository: docker.io/library/busybox, tag: 1.36.1}', ['busybox']);
  expect(stderr).toMatch(/versions\.tsv: line 2: needs a repository and a tag/);
  expect(code).toBe(2);
});

it('leaves out an image that servers make themselves', () => {
  const image = { repository: 'hortus.invalid/hello', tag: '1', variants: [] };
  const spec = { image, components: {}, actions: [] } as unknown as Canonical;
  expect(catalogFreshness([{ species: 'hello', spec }], new Map())).toEqual([]);
});
