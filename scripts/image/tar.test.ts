import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, it } from 'vitest';
import { type Entry, entriesOf, tar } from './tar.ts';

const bytesOf = async (entries: readonly Entry[]) => Buffer.concat(await Array.fromAsync(tar(entries, 86_400)));
const list = (archive: Buffer) =>
  execFileSync('tar', ['--list', '--verbose', '--numeric-owner', '--utc'], { input: archive, encoding: 'utf8' });

it('an archive depends on its entries alone, not on their order', async () => {
  const entries: Entry[] = [
    { path: 'a', kind: 'folder', mode: 0o700, owner: 8420 },
    { path: 'a/file', kind: 'file', mode: 0o755, from: Buffer.from('text') },
    { path: 'link', kind: 'link', to: 'a/file' },
  ];
  const archive = await bytesOf(entries);
  expect(await bytesOf(entries.toReversed())).toEqual(archive);
  expect(list(archive).replaceAll(/ +/g, ' ')).toBe(
    'drwx------ 8420/8420 0 1970-01-02 00:00 a/\n' +
      '-rwxr-xr-x 0/0 4 1970-01-02 00:00 a/file\n' +
      'lrwxrwxrwx 0/0 0 1970-01-02 00:00 link -> a/file\n',
  );
});

it('long paths are kept, also those that no header has room for', async () => {
  const paths = [`${'f'.repeat(90)}/${'g'.repeat(60)}/${'n'.repeat(90)}`, 'n'.repeat(101)];
  await using folder = temporaryFolder();
  const archive = await bytesOf(paths.map((path) => ({ path, kind: 'file', from: Buffer.from('found') })));
  execFileSync('tar', ['--extract', '--directory', folder.path], { input: archive });
  for (const path of paths) expect(readFileSync(join(folder.path, path), 'utf8')).toBe('found');
});

it('of the modes of files, only "executable" is taken', async () => {
  await using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'inner'));
  writeFileSync(join(folder.path, 'inner/private'), '', { mode: 0o600 });
  writeFileSync(join(folder.path, 'program'), '');
  chmodSync(join(folder.path, 'program'), 0o4711);
  const entries = await entriesOf(folder.path, 'opt');
  expect(entries.map((entry) => [entry.path, entry.kind === 'file' && entry.mode]).sort()).toEqual([
    ['opt/inner', false],
    ['opt/inner/private', 0o644],
    ['opt/program', 0o755],
  ]);
  symlinkSync('/etc/passwd', join(folder.path, 'link'));
  await expect(entriesOf(folder.path, 'opt')).rejects.toThrow('neither a file nor a folder');
});
