import type { PageSession } from '@hortus/testkit/page-session';
import { startReceiver } from '@hortus/testkit/receiver';
import { addServer, beginDeployment } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { expectAccessible, openBrowser, openPage } from '../browser.ts';
import { openConsole } from '../console-service.ts';
import { expectGoodPage } from './seen.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
});

const open = async (path: string): Promise<Page> => {
  const page = await openPage(browser, service, { session });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};

describe('notifications', () => {
  test('a channel is added and tested, a failed deployment raises an alert, and its message is listed', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const page = await open('/notifications/channels');
    await page.getByText('No channels yet.').waitFor();
    await page.getByRole('button', { name: 'Add a channel…' }).click();
    const form = page.getByRole('dialog', { name: 'Add a channel' });
    await form.getByLabel('Name').fill('Team');
    await form.getByLabel('Kind').selectOption('url');
    await form.getByLabel('Address').fill(`${receiver.url}/told`);
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Add channel' }).click();
    await page.getByRole('button', { name: 'Test Team' }).click();
    await page.getByText('accepted the test').waitFor();
    expect(receiver.requests).toHaveLength(1);
    receiver.respondNext({ status: 500, body: '<script>alert(1)</script>' });
    await page.getByRole('button', { name: 'Test Team' }).click();
    await page.getByText('<script>alert(1)</script>').waitFor();

    const beech = await addServer(service, 'beech');
    const { deploymentId } = await beginDeployment(service, beech, 'memos', 'journal');
    await beech.daemon.call('deployments.report', {
      body: { deployment_id: deploymentId, status: 'failed', error: 'It did not become healthy.' },
    });
    await page.goto('/notifications');
    await page.getByRole('heading', { name: 'The deployment of journal has failed' }).waitFor({ timeout: 60_000 });
    await expectGoodPage(browser, service, { session, path: '/notifications', ready: '.records li', name: 'alerts' });
    await expect.poll(() => receiver.requests.length, { timeout: 60_000 }).toBeGreaterThan(2);
    await page.goto('/notifications/deliveries');
    await page.getByRole('table', { name: 'Messages' }).getByText('Delivered').first().waitFor();
    const appearances = { session, ready: 'table' };
    await expectGoodPage(browser, service, { ...appearances, path: '/notifications/channels', name: 'channels' });
    await expectGoodPage(browser, service, { ...appearances, path: '/notifications/deliveries', name: 'messages' });
  });

  test('a rule is added with the defaults of its kind, changed and removed', async () => {
    const page = await open('/notifications/rules');
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    await page.getByLabel('Name').fill('Memory of the servers');
    await page.getByLabel('Watches').selectOption('memory_above');
    await page.getByLabel('Fuller than, in percent').fill('120');
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.locator('.help.bad').waitFor();
    await page.getByLabel('Fuller than, in percent').fill('75');
    await page.getByRole('button', { name: 'Add rule' }).click();
    const row = page.getByRole('row', { name: /Memory of the servers/ });
    await row.getByText('Memory is fuller than 75 % for 10 minutes').locator('visible=true').waitFor();
    await expectGoodPage(browser, service, { session, path: '/notifications/rules', ready: 'table', name: 'rules' });
    await row.getByRole('button', { name: 'More for Memory of the servers' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByLabel('Type Memory of the servers to confirm').fill('Memory of the servers');
    await page.getByRole('button', { name: 'Remove Memory of the servers' }).click();
    await row.waitFor({ state: 'detached' });
  });
});

describe('tenants', () => {
  test('a tenant is created, suspended by its name, resumed, and its move is planned before it is ordered', async () => {
    await addServer(service, 'elm');
    await addServer(service, 'oak');
    const page = await open('/tenants');
    await page.getByRole('button', { name: 'Create a tenant…' }).click();
    const form = page.getByRole('dialog', { name: 'Create a tenant' });
    await form.getByLabel('Name', { exact: true }).fill('Rose Nursery');
    await form.getByLabel('Server').selectOption({ label: 'elm, online' });
    await form.getByRole('button', { name: 'Create tenant' }).click();
    await page.getByRole('heading', { level: 1, name: /Rose Nursery/ }).waitFor();
    await page.getByRole('button', { name: 'Suspend…' }).click();
    await page.getByLabel('Type Rose Nursery to confirm').fill('Rose Nursery');
    await page.getByRole('button', { name: 'Suspend Rose Nursery' }).click();
    await page.getByText('Suspended').first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Migrate…' }).click();
    const move = page.getByRole('dialog', { name: 'Migrate Rose Nursery' });
    await move.getByLabel('To').selectOption({ label: 'oak, online' });
    await move.getByRole('button', { name: 'Show the plan' }).click();
    await move.getByText(/definitions? would move/).waitFor();
    await expectAccessible(page);
    await move.getByRole('button', { name: 'Cancel' }).click();
    const path = new URL(page.url()).pathname;
    await expectGoodPage(browser, service, { session, path, ready: 'dl.facts', name: 'tenant' });
    await expectGoodPage(browser, service, { session, path: '/tenants', ready: 'table', name: 'tenants' });
  });
});
