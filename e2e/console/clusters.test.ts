import type { PageSession } from '@hortus/testkit/page-session';
import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, openBrowser, openPage } from './browser.ts';
import { openConsole } from './console-service.ts';
import { addCluster } from './filled-records.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
});

test('a person registers a Swarm, and sees that it has members of its own', async () => {
  const page = await openPage(browser, service, { session });
  await page.goto('/servers');
  await page.getByRole('button', { name: 'Register a server…' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Register a server' });
  await dialog.getByLabel('Name').fill('swarm-1');
  await dialog.getByLabel('Docker Swarm').check();
  await dialog.getByRole('button', { name: 'Register and show the line' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const { data } = await service.client.call('servers.list', {});
  const cluster = data.find(({ name }) => name === 'swarm-1');
  expect(cluster).toMatchObject({ kind: 'cluster' });
  await page.goto(`/servers/${cluster?.id}`);
  await page.getByText('No nodes yet.').waitFor();
  await page.getByRole('table', { name: 'Members of this cluster' }).getByText('manager-1').waitFor();
  await page.context().close();
});

test('the page of a cluster shows its nodes and members, adds and revokes one, and drains a node', async () => {
  const id = await addCluster(service);
  const page = await openPage(browser, service, { session });
  await page.goto(`/servers/${id}`);
  const nodes = page.getByRole('table', { name: 'Nodes of this cluster' });
  await nodes.getByText('almanac/app ×2').waitFor();
  await nodes.getByText('Drained').waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Add a member…' }).click();
  await page.getByRole('dialog', { name: 'Add a member' }).getByLabel('Name').fill('manager-3');
  await page.getByRole('button', { name: 'Add and show the command' }).click();
  await page.getByRole('dialog', { name: 'Connect manager-3' }).getByText('hortusd install').waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Revoke manager-3' }).click();
  const revoking = page.getByRole('dialog', { name: 'Revoke manager-3' });
  await revoking.getByLabel('Type manager-3 to confirm').fill('manager-3');
  await revoking.getByRole('button', { name: 'Revoke manager-3' }).click();
  await page.getByRole('button', { name: 'Revoke manager-3' }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Drain palm-house' }).click();
  const draining = page.getByRole('dialog', { name: 'Drain palm-house' });
  await draining.getByLabel('Type palm-house to confirm').fill('palm-house');
  await draining.getByRole('button', { name: 'Drain palm-house' }).click();
  await draining.waitFor({ state: 'detached' });
  const { data } = await service.client.call('actions.all', {});
  expect(data[0]).toMatchObject({ slug: 'hortus.node', params: { node_id: 'aa1', availability: 'drain' } });
  await page.context().close();
});
