import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, it } from 'vitest';
import { currentKey, keepRotatedKey } from './server-key.ts';

it('a rotated key replaces the configured one until the operator changes it', async () => {
  await using folder = temporaryFolder('key');
  expect(currentKey(folder.path, 'given')).toBe('given');
  keepRotatedKey(folder.path, 'given', 'second');
  expect(currentKey(folder.path, 'given')).toBe('second');
  keepRotatedKey(folder.path, 'given', 'third');
  expect(currentKey(folder.path, 'given')).toBe('third');
  expect(currentKey(folder.path, 'new')).toBe('new');
});
