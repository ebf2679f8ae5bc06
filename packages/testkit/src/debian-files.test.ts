import { realpathSync } from 'node:fs';
import { expect, test } from 'vitest';
import { debianFiles } from './debian-files.ts';

test('a program comes with its libraries, their link targets and its loader', async () => {
  const files = await debianFiles({ packages: ['busybox-static'], programs: ['bash'] });
  expect(files).toContain('/usr/bin/bash');
  for (const name of ['libc.so.6', 'libtinfo.so.6']) {
    const library = files.find((path) => path.endsWith(`/${name}`)) ?? expect.fail(`no ${name}`);
    expect(files).toContain(realpathSync(library));
  }
  expect(files.some((path) => /\/ld-linux[^/]*\.so/.test(path))).toBe(true);
});

test('documentation of a package is left out', async () => {
  const files = await debianFiles({ packages: ['busybox-static'] });
  expect(files.filter((path) => path.startsWith('/usr/share/doc/') || path.startsWith('/usr/share/man/'))).toEqual([]);
});

test('a package that is not installed is named', async () => {
  await expect(debianFiles({ packages: ['no-such-package'] })).rejects.toThrow('no-such-package');
});
