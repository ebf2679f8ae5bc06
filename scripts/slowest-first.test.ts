import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { knownSeconds } from './slowest-first.ts';

test('every file in the test order exists', () => {
  const root = join(import.meta.dirname, '..');
  expect(Object.keys(knownSeconds).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
