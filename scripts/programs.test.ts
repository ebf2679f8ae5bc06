import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

// Plain JavaScript, because it runs before the packages are installed.
const { programs } = (await import(new URL('programs.mjs', import.meta.url).href)) as {
  programs(options: { tree: string; make(folder: string): Promise<void> }): Promise<string | undefined>;
};

let folder: ReturnType<typeof temporaryFolder>;
let touched: string;
let cache: string;
let made: number;

beforeEach(() => {
  folder = temporaryFolder();
  for (const place of ['packages', 'scripts']) mkdirSync(join(folder.path, place));
  writeFileSync(join(folder.path, 'package-lock.json'), '{}');
  touched = join(folder.path, 'packages', 'main.ts');
  cache = join(folder.path, 'node_modules', '.cache', 'programs');
  made = 0;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder.remove();
});

const ask = () =>
  programs({
    tree: folder.path,
    make: async (place) => {
      made++;
      mkdirSync(place);
    },
  });

it('bundles are built once, and again after a file changed', async () => {
  const first = await ask();
  expect(first).toBe(join(cache, readdirSync(cache)[0] as string));
  expect(await ask()).toBe(first);
  expect(made).toBe(1);
  writeFileSync(touched, 'a');
  const second = await ask();
  utimesSync(touched, 1, 1);
  const third = await ask();
  expect(new Set([first, second, third]).size).toBe(3);
  expect(made).toBe(3);
});

it('recent bundles are kept for services that still run from them', async () => {
  const all: (string | undefined)[] = [];
  for (let i = 0; i < 5; i++) {
    writeFileSync(touched, 'x'.repeat(i));
    const place = await ask();
    all.push(place);
    utimesSync(place as string, 1_000 + i, 1_000 + i);
  }
  expect(all.map((place) => existsSync(place as string))).toEqual([false, false, true, true, true]);
});

it('a failed build leaves no partial bundle and reports that the source runs', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const place = await programs({
    tree: folder.path,
    make: async (unfinished) => {
      mkdirSync(unfinished);
      throw new Error('the disk is full');
    },
  });
  expect(place).toBeUndefined();
  expect(readdirSync(cache)).toEqual([]);
  expect(said.mock.calls).toEqual([['The service runs from its source, which takes longer: the disk is full']]);
});
