import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, it } from 'vitest';

const bin = join(import.meta.dirname, '../../packages/cli/bin');
// Plain JavaScript, because it runs on any Node.
const { freshBundle } = (await import(join(bin, 'cached-bundle.mjs'))) as {
  freshBundle(tree: string): string | undefined;
};

it('a bundle is used until one of its source files changes or disappears', async () => {
  await using tree = temporaryFolder('tree');
  const cache = join(tree.path, 'node_modules/.cache/cli');
  const source = join(tree.path, 'main.ts');
  expect(freshBundle(tree.path)).toBeUndefined();
  mkdirSync(cache, { recursive: true });
  writeFileSync(source, 'a');
  const { size, mtimeMs } = statSync(source);
  writeFileSync(
    join(cache, 'current.json'),
    JSON.stringify({ main: '1/main.mjs', sources: [['main.ts', size, mtimeMs]] }),
  );
  expect(freshBundle(tree.path)).toBe(join(cache, '1/main.mjs'));
  utimesSync(source, 1, 1);
  expect(freshBundle(tree.path)).toBeUndefined();
  rmSync(source);
  expect(freshBundle(tree.path)).toBeUndefined();
});

it('hortus runs in a checkout without a build by hand', { timeout: 120_000 }, () => {
  const printed = execFileSync(process.execPath, [join(bin, 'hortus.mjs'), 'version'], { encoding: 'utf8', cwd: '/' });
  expect(printed).toMatch(/^hortus \d+\.\d+\.\d+\n$/);
  expect(freshBundle(join(import.meta.dirname, '../..'))).toBeDefined();
});
