import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from './version.ts';

it('every package has the version that programs report', () => {
  const root = join(import.meta.dirname, '../../../..');
  const manifests = globSync(['package.json', 'packages/*/package.json'], { cwd: root });
  expect(manifests.length).toBeGreaterThan(2);
  const versions = manifests.map((path) => [path, JSON.parse(readFileSync(join(root, path), 'utf8')).version]);
  expect(versions).toEqual(manifests.map((path) => [path, VERSION]));
});
