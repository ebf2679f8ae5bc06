import type { PageSession } from '@hortus/testkit/page-session';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, openBrowser, openPage, type PageOptions } from './browser.ts';
import { openConsole } from './console-service.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
});

const open = async (path: string, options: PageOptions = {}): Promise<Page> => {
  const page = await openPage(browser, service, { session, ...options });
  await page.goto(path);
  return page;
};

async function requested(name: string, query: { container?: 'keep' } = {}) {
  const { client } = service;
  const { data: server } = await client.call('servers.register', { body: { name, environment: 'staging' } });
  const inputs = { WEB_HOSTNAME: `${name}.example.org` };
  const body = { species: 'static-site', instance_uid: name, server_id: server.id, inputs };
  const { id } = (await client.call('definitions.create', { body })).data;
  const call = { endpoint: 'definitions.archive', params: { id }, query, reason: '<b>unused</b>' } as const;
  const { data } = await client.call('confirmations.create', { body: call });
  const status = async () => (await client.call('definitions.read', { params: { id } })).data.status;
  return { ...data, status };
}

test('a person opens the link of an assistant, reads what it asks for, and confirms by the name', async () => {
  const { url, title, status } = await requested('old-blog');
  const page = await open(new URL(url).pathname);
  await page.getByRole('heading', { name: title }).waitFor();
  await page.getByText('<b>unused</b>').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Confirm…' }).click();
  const button = page.getByRole('button', { name: 'Confirm for old-blog' });
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel('Type old-blog to confirm').fill('old-blog');
  await button.click();
  await page.locator('#page').getByText('Done').waitFor();
  expect(await status()).toBe('archived');
  expect(await page.getByRole('button', { name: 'Confirm…' }).count()).toBe(0);
});

test('a person rejects it from the list, and nothing changes', async () => {
  const { title, status } = await requested('new-blog', { container: 'keep' });
  const page = await open('/confirmations');
  await page.getByRole('link', { name: title }).click();
  await page.getByText('"keep"').waitFor();
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.locator('#page').getByText('Rejected', { exact: true }).waitFor();
  expect(await status()).not.toBe('archived');
});
