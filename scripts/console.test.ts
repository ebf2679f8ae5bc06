import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

// Plain JavaScript, because it runs before the packages are installed.
const { buildConsole } = (await import(new URL('console.mjs', import.meta.url).href)) as {
  buildConsole(options: { tree: string; make(folder: string): Promise<void> }): Promise<boolean>;
};

let folder: ReturnType<typeof temporaryFolder>;
let made: number;
const source = () => join(folder.path, 'packages/web/src/main.tsx');
const page = () => join(folder.path, 'dist/console/index.html');

beforeEach(() => {
  folder = temporaryFolder();
  made = 0;
  mkdirSync(dirname(source()), { recursive: true });
  writeFileSync(source(), 'one');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder.remove();
});

const build = (fail = false) =>
  buildConsole({
    tree: folder.path,
    make: async (place) => {
      mkdirSync(place);
      writeFileSync(join(place, 'index.html'), `build ${++made}`);
      if (fail) throw new Error('no');
    },
  });

it('a second start builds nothing, whatever the file times; a changed source builds again', async () => {
  expect(await build()).toBe(true);
  utimesSync(source(), 1, 1);
  expect(await build()).toBe(true);
  expect(made).toBe(1);
  writeFileSync(source(), 'two');
  await build();
  expect(readFileSync(page(), 'utf8')).toBe('build 2');
});

it('a failed build keeps the last one, says so, and leaves nothing behind', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(await build(true)).toBe(false);
  expect(said.mock.calls.flat().join()).toContain('The console was not built: no. The API works');
  expect(existsSync(page())).toBe(false);
  await build();
  writeFileSync(source(), 'two');
  expect(await build(true)).toBe(false);
  expect(said.mock.calls.flat().join()).toContain('The last build is served.');
  expect(readFileSync(page(), 'utf8')).toBe('build 2');
  expect(readdirSync(join(folder.path, 'dist'))).toEqual(['console']);
});
