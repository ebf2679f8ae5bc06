import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';

/** Plain JavaScript, because it runs before anything is installed. */
const { allLinked } = (await import(new URL('install.mjs', import.meta.url).href)) as {
  allLinked(lock: object, folder?: string): boolean;
};

const lock = {
  packages: {
    '': { bin: { own: 'own.js' } },
    'node_modules/tool': { bin: { tool: 'tool.js', 'tool-too': 'too.js' } },
    'node_modules/@scope/other': { bin: { other: 'other.js' } },
    'node_modules/other/node_modules/deep': { bin: { deep: 'deep.js' } },
    'node_modules/elsewhere': { optional: true, bin: { elsewhere: 'elsewhere.js' } },
    'node_modules/plain': {},
    'node_modules/@hortus/ours': { link: true },
    'packages/ours': { bin: { ours: 'main.ts' } },
  },
};

test('an install is complete if every command of its packages exists', async () => {
  await using folder = temporaryFolder('install');
  const bin = join(folder.path, '.bin');
  mkdirSync(bin);
  for (const name of ['tool', 'tool-too', 'other', 'ours']) writeFileSync(join(bin, name), '');
  expect(allLinked(lock, folder.path)).toBe(true);
  rmSync(join(bin, 'tool-too'));
  expect(allLinked(lock, folder.path)).toBe(false);
});

test('the install of this project is complete; a copy without its commands is not', async () => {
  const ours = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  expect(allLinked(ours)).toBe(true);
  await using folder = temporaryFolder('install');
  cpSync('node_modules/.bin', join(folder.path, '.bin'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('/tsc'),
  });
  expect(allLinked(ours, folder.path)).toBe(false);
});
