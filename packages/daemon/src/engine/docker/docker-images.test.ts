import { expect, test } from 'vitest';
import type { DockerApi } from './docker-api.ts';
import { readImage } from './docker-images.ts';

const described = (length: number) => {
  const body = Buffer.from(JSON.stringify({ Id: 'sha256:1', Config: { Labels: { note: 'x'.repeat(length) } } }));
  return { timeouts: {}, call: async () => ({ status: 200, headers: {}, body }) } as unknown as DockerApi;
};

test('an image whose description is too large for every check and event is refused by name', async () => {
  expect(await readImage(described(1_000), 'blog:1')).toMatchObject({ id: 'sha256:1' });
  await expect(readImage(described(300 * 1024), 'blog:1')).rejects.toThrow(
    /read image blog:1: .*its labels, variables and volumes have \d+ bytes; at most 262144 are read/,
  );
});
