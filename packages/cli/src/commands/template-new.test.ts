import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hortusInTerminal } from '@hortus/testkit/pseudo-terminal';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';
import { hortusHere } from '../testing/hortus.ts';

const image = 'docker.io/library/nginx:1.29.2';

test('template new writes a file without errors and warnings, and never overwrites one', async () => {
  await using home = temporaryFolder('new');
  const variants: Record<string, string[]> = {
    plain: [],
    'My Blog': ['--name', 'My "blog": #1', '--family', 'blog', '--port', '8080'],
    kept: ['--storage', '/var/lib/kept data'],
    'web-2': ['--port', '80', '--storage', '/data'],
  };
  for (const [name, options] of Object.entries(variants)) {
    const folder = join(home.path, name);
    const made = await hortusHere(home.path, ['template', 'new', folder, '--image', image, ...options]);
    expect(made, name).toMatchObject({ code: 0, stderr: '' });
    const checked = await hortusHere(home.path, ['template', 'validate', folder, '--json']);
    expect(JSON.parse(checked.stdout), name).toMatchObject({ valid: true, findings: [] });
  }
  expect(readFileSync(join(home.path, 'My Blog', 'template.yaml'), 'utf8')).toMatch(/^slug: my-blog$/m);
  const again = await hortusHere(home.path, ['template', 'new', join(home.path, 'plain'), '--image', image]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
});

test.each([
  [['--image', 'nginx'], 'The image must have a tag'],
  [['--image', image, '--port', '99999'], 'The port must be a number'],
  [['--image', image, '--storage', 'data'], 'must be an absolute path'],
  [[], 'Image with tag is missing.'],
])('template new %j is refused without writing a file', async (options, words) => {
  await using home = temporaryFolder('new');
  const folder = join(home.path, 'x');
  const { code, stderr } = await hortusHere(home.path, ['template', 'new', folder, ...options]);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
  expect(() => readFileSync(join(folder, 'template.yaml'))).toThrow('ENOENT');
});

test('template new asks in a terminal for what is missing', { timeout: 120_000 }, async () => {
  await using home = temporaryFolder('new');
  const folder = join(home.path, 'guestbook');
  const terminal = hortusInTerminal(['template', 'new', folder], { HOME: home.path });
  await terminal.shows('Name [Guestbook]: ');
  terminal.type('\r');
  await terminal.shows('Image with tag: ');
  terminal.type(`${image}\r`);
  await terminal.shows('Port of its web pages, or Enter for none: ');
  terminal.type('8080\r');
  await terminal.shows('Folder to keep, or Enter for none: ');
  terminal.type('\r');
  expect(await terminal.code).toBe(0);
  expect(readFileSync(join(folder, 'template.yaml'), 'utf8')).toMatch(/port: 8080/);
});
