import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { takeTurn } from '@hortus/testkit/turn';
import { afterAll, expect } from 'vitest';
import { buildConsole } from '../../scripts/console.mjs';
import { type ServiceOptions, type ServiceProcess, startService } from '../service-process.ts';

export const email = 'mira@example.org';
export const password = 'a password for the tests';
const root = join(import.meta.dirname, '../..');

/** Starts the service with the built console; both end with the file. */
export async function startConsoleService(env: ServiceOptions['env'] = {}): Promise<ServiceProcess> {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  await builtConsole();
  const service = await startService({
    directory: folder.path,
    env: { HORTUS_ADMIN_EMAIL: email, HORTUS_CONSOLE_DIR: join(root, 'dist/console'), ...env },
  });
  afterAll(() => service.process.stop());
  return service;
}

/** Builds the console once, although test files run at the same time. */
export async function builtConsole(): Promise<void> {
  await using _turn = await takeTurn('console-build');
  expect(await buildConsole(), 'the console was built').toBe(true);
}
