import { expect, test } from 'vitest';
import { debianFiles } from './debian-files.ts';
import { baseEntries, baseFiles, baseOf } from './image-bases.ts';

test('a tag selects Alpine only where the image is published on it', () => {
  expect(baseOf({ debian: [], alpine: [] }, '17.5')).toBe('debian');
  expect(baseOf({ debian: [], alpine: [] }, '17.5-alpine')).toBe('alpine');
  expect(baseOf({ alpine: [] }, '2.0.22')).toBe('alpine');
  expect(baseOf({ busybox: [] }, 'v3.5.0-alpine')).toBe('busybox');
});

test('Debian has a shell and no tool that its slim images lack', async () => {
  const files = await debianFiles(baseFiles('debian'));
  for (const tool of ['sh', 'bash', 'awk', 'grep', 'sed', 'tar', 'setpriv', 'which'])
    expect(files).toContain(`/usr/bin/${tool}`);
  for (const tool of ['busybox', 'curl', 'wget', 'nc', 'ps', 'ip', 'python3', 'openssl'])
    expect(files.filter((path) => path.endsWith(`bin/${tool}`))).toEqual([]);
  expect(baseEntries('debian', new Set())).toEqual([]);
});

test('Alpine has the applets of its busybox, and packages win over applets', () => {
  const paths = baseEntries('alpine', new Set(['/usr/bin/find'])).map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['usr/bin/sh', 'usr/bin/wget', 'usr/bin/nc']));
  for (const absent of ['bash', 'curl', 'httpd', 'telnet', 'find']) expect(paths).not.toContain(`usr/bin/${absent}`);
});

test('an image from scratch has nothing', async () => {
  expect(await debianFiles(baseFiles('scratch'))).toEqual([]);
  expect(baseEntries('scratch', new Set())).toEqual([]);
});
