import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { tarOf } from './tar.ts';

const file = (path: string, mode = '0644', content = 'x') => ({ path, mode, content });
const list = (archive: Buffer) =>
  execFileSync('tar', ['--list', '--verbose', '--numeric-owner'], { input: archive }).toString();

test('GNU tar reads names, modes, owner and contents, even long and unusual ones', () => {
  const long = `/${'folder/'.repeat(30)}file`;
  const archive = tarOf([
    file('/etc/app.ini', '0640', 'a=1\n'),
    file(long, '0755'),
    file('/etc/grüße "$x"', '600', 'ü'),
    file('/empty', '0644', ''),
  ]);
  const lines = list(archive).trim().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^-rw-r----- 0\/0 +4 .* etc\/app\.ini$/);
  expect(lines[1]).toMatch(/^-rwxr-xr-x/);
  expect(lines[1]).toContain(long.slice(1));
  expect(lines[2]).toMatch(/^-rw------- 0\/0 +2 /);
  const text = execFileSync('tar', ['--extract', '--to-stdout', long.slice(1)], { input: archive }).toString();
  expect(text).toBe('x');
});

test('equal files give equal archives', () => {
  expect(tarOf([file('/a')])).toEqual(tarOf([file('/a')]));
});

test.each(['relative', '/', '/a/../b', '/a//b', '/a/', '/./a', '/a\0b', ''])('%j is not a file path', (path) => {
  expect(() => tarOf([file(path)])).toThrow('not a valid absolute file path');
});

test.each(['', '999', 'rw', '07777777', '-644'])('%j is not a mode', (mode) => {
  expect(() => tarOf([file('/a', mode)])).toThrow('not a file mode');
});
