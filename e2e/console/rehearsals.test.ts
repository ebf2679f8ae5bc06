import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import type { Browser } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { openInstallationWithDaemon } from '../docker/installation.ts';
import { deployFirst, ledger, upgradeTo } from '../docker/ledger.ts';
import { openBrowser, openPage, signIn } from './browser.ts';
import { builtConsole, email, password } from './console-service.ts';

let browser: Browser;

beforeAll(async () => {
  [browser] = await Promise.all([openBrowser(), builtConsole()]);
});

test('a person rehearses an upgrade, reads why it broke, and looks at a copy of the instance', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallationWithDaemon({
    env: { HORTUS_ADMIN_EMAIL: email, HORTUS_CONSOLE_DIR: join(import.meta.dirname, '../../dist/console') },
  });
  const { service } = installation;
  const deployed = await deployFirst(installation, 'almanac', 'bad');
  const id = await upgradeTo(installation, ledger('almanac', { version: '1.1.0', migration: true }), deployed);
  const page = await openPage(browser, service, { session: await signIn(service, email, password) });
  page.setDefaultTimeout(120_000);
  await page.goto(`/upgrades/${id}`);
  await page.getByRole('button', { name: 'Rehearse…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rehearse the upgrade of almanac to 1.1.0' });
  await dialog.getByRole('button', { name: 'Rehearse almanac' }).click();
  await page.getByLabel('Last lines of what failed').getByText('this row cannot be migrated').waitFor();
  await page.getByText('Failed', { exact: true }).waitFor();

  const removed = async () =>
    (await service.client.call('rehearsals.list', {})).data.every((item) => item.removed) || undefined;
  await until(removed, { describe: 'the removal of the copy', within: 60_000 });
  await page.goto(`/instances/${deployed.instanceId}`);
  await page.getByRole('navigation', { name: 'Views of the instance' }).getByRole('link', { name: 'Backups' }).click();
  await page.getByRole('button', { name: 'Make a copy for an hour' }).click();
  await page.getByText('Passed', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Look at the copy' }).click();
  await page.getByText(/Running, healthy for/).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Remove copy' }).click();
  await until(removed, { describe: 'the removal of the clone', within: 60_000 });
  // Before the service stops: a page left open would ask it, be refused, and log that as an error.
  await page.context().close();
});
