import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProcess } from './process.ts';
import { removeAbandonedFolders, temporaryFolder } from './temporary-folder.ts';

test('a temporary folder exists until it is removed with its content', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder.path, 'deep'));
  writeFileSync(join(folder.path, 'deep', 'file'), 'x');
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});

test('a process that exits without removing its folders leaves none', async () => {
  const script = `import { temporaryFolder } from ${JSON.stringify(new URL('./temporary-folder.ts', import.meta.url).href)};
    console.log(temporaryFolder().path + ' ' + temporaryFolder().path); process.exit(0);`;
  await using child = startProcess([process.execPath, '--input-type=module', '--eval', script]);
  const paths = (await child.waitForLine('hortus-')).split(' ');
  await child.exited;
  expect(paths).toHaveLength(2);
  expect(paths.filter(existsSync)).toEqual([]);
});

test('a folder in memory is removed like others', async () => {
  const folder = temporaryFolder('test', { inMemory: true });
  writeFileSync(join(folder.path, 'file'), 'x');
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});

test('old folders of dead owners are removed; young ones and ones in use stay', async () => {
  await using ended = startProcess([process.execPath, '--eval', '']);
  await ended.exited;
  const old = new Date(Date.now() - 3_600_000);
  const make = (pid: number, name: string) => {
    const path = join(tmpdir(), `hortus-${pid}-${name}`);
    mkdirSync(path);
    return path;
  };
  const abandoned = make(ended.pid, 'abandoned');
  const young = make(ended.pid, 'young');
  await using mine = temporaryFolder();
  for (const path of [abandoned, mine.path]) utimesSync(path, old, old);

  removeAbandonedFolders();
  expect([abandoned, young, mine.path].map(existsSync)).toEqual([false, true, true]);
  utimesSync(young, old, old);
  removeAbandonedFolders();
  expect(existsSync(young)).toBe(false);
});
