import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, expect, it } from 'vitest';
import { readSubstitutes } from './read-substitutes.ts';

const folder = temporaryFolder('substitutes');
const path = join(folder.path, 'images.json');
afterAll(() => folder.remove());

function read(text: string) {
  writeFileSync(path, text);
  return readSubstitutes(path);
}

it('reads references and their local images', () => {
  expect(read('{"docker.io/library/redis": "redis:local"}').of('redis:8.2.2')).toBe('redis:local');
  expect(read('{}').of('redis:8.2.2')).toBeUndefined();
});

it.each([
  ['{"redis": }', 'is not JSON: '],
  ['["redis"]', 'must be an object such as {"docker.io/library/redis": "redis:local"}'],
  ['{"Redis 8": "redis:local"}', 'has the key "Redis 8", which is not an image reference'],
  ['{"redis": 8}', 'must name a local image such as redis:local for "redis"'],
  ['{"redis": "../secret"}', 'must name a local image such as redis:local for "redis"'],
  [
    '{"redis": "a:1", "docker.io/library/redis": "b:1"}',
    'has "redis" and "docker.io/library/redis", which mean the same image',
  ],
  [`{"redis": "a:1"}${' '.repeat(1024 ** 2)}`, 'is larger than 1 MiB'],
])('the error for %.60s names the file and the entry', (text, message) => {
  expect(() => read(text)).toThrow(`--image-substitutes: ${path} ${message}`);
});

it('a missing file is an error, because images would be pulled silently', () => {
  expect(() => readSubstitutes(join(folder.path, 'none.json'))).toThrow(/none\.json cannot be read: ENOENT/);
});
