import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll } from 'vitest';
import { buildNpmPackages } from '../../scripts/release/npm-packages.ts';

/** Builds the npm packages for the tests of a file. */
export async function builtPackages(): Promise<{ client: string; cli: string }> {
  const folder = temporaryFolder('packages');
  afterAll(() => folder.remove());
  return await buildNpmPackages(folder.path);
}
