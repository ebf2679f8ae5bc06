import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeReleaseFolder, type Release, SERVICE_PROGRAM } from '../../scripts/release/release-folder.ts';
import { openBrowser, openPage, signIn } from '../console/browser.ts';
import { builtConsole, email, password } from '../console/console-service.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

const folder = temporaryFolder('release');
const moved = join(folder.path, 'moved/release');
let release: Release;
let service: ServiceProcess;
let browser: Browser;

beforeAll(async () => {
  const daemonsFrom = join(folder.path, 'built');
  await mkdir(daemonsFrom);
  await writeFile(join(daemonsFrom, 'hortusd-linux-arm64'), 'the daemon');
  await writeFile(join(daemonsFrom, 'hortusd-linux-arm64.sig'), '{}');
  await builtConsole();
  const made = join(folder.path, 'made');
  release = await makeReleaseFolder(made, { daemonsFrom });
  await mkdir(join(folder.path, 'moved'));
  await rename(made, moved);
  await rm(daemonsFrom, { recursive: true });
  [browser, service] = await Promise.all([
    openBrowser(),
    startService({
      directory: join(folder.path, 'data'),
      main: join(moved, SERVICE_PROGRAM),
      env: { HORTUS_ADMIN_EMAIL: email },
    }),
  ]);
});
afterAll(async () => {
  await service?.process.stop();
  await folder.remove();
});

const json = async (path: string): Promise<unknown> => (await fetch(`${service.base}${path}`)).json();

test('the service runs from a release in another folder, with console, catalog and reference', async () => {
  expect(await json('/health')).toMatchObject({ version: release.version });
  expect((await fetch(`${service.root}/docs`)).status).toBe(200);
  expect(await json('/openapi.json')).toMatchObject({ info: { version: release.version } });

  const session = await signIn(service, email, password);
  const page = await openPage(browser, service, { session });
  await page.goto('/catalog');
  await page.getByRole('heading', { name: 'Databases' }).waitFor();
  await page
    .getByRole('link', { name: /^Memos/ })
    .first()
    .waitFor();
});

test('the assistant of a release reads its documentation', async () => {
  const { data } = await service.client.call('copilot.ask', {
    body: { question: 'Where do subnets of networks come from?' },
  });
  expect(JSON.stringify(data)).toContain('networks.md: Where subnets come from');
});

test('a release offers the daemons that were built before it', async () => {
  expect(release.daemons).toEqual(['hortusd-linux-arm64']);
  const params = { os_type: 'linux', arch: 'arm64' };
  expect((await service.client.call('implant.read', { params })).data.size).toBe('the daemon'.length);
  expect(await readdir(join(moved, 'dist'))).toContain('hortusd-linux-arm64.sig');
});

test('a release is written only into an empty folder', async () => {
  await expect(makeReleaseFolder(moved)).rejects.toThrow('is not empty');
});
