import type { PageSession } from '@hortus/testkit/page-session';
import { addServer } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { expectAccessible, openBrowser, openPage } from '../browser.ts';
import { openConsole } from '../console-service.ts';
import { keepPolling } from '../polling-servers.ts';
import { expectGoodPage } from './seen.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  const server = await addServer(service, 'beech');
  keepPolling(server);
  await service.client.call('definitions.create', {
    body: { species: 'postgres', instance_uid: 'rows', server_id: server.id, inputs: {} },
  });
});

const open = async (path: string): Promise<Page> => {
  const page = await openPage(browser, service, { session });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};
const saved = async () => (await service.client.call('connections.list', {})).data;

test('a connection is saved, changed, chosen when deploying, and kept while it is used', {
  timeout: 120_000,
}, async () => {
  const page = await open('/connections');
  await page.getByText('No connections yet.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save a connection…' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Office mail');
  await form.getByLabel('Host').fill('smtp.example.org');
  await form.getByLabel('Port').fill('99999');
  await form.getByLabel('Password').fill('a long password');
  await form.getByRole('button', { name: 'Save connection' }).click();
  await form.getByText(/between 1 and 65535/).waitFor();
  await form.getByLabel('Port').fill('587');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Save connection' }).click();
  await page.getByRole('row', { name: /Office mail/ }).waitFor();

  await page.getByRole('button', { name: 'Edit Office mail' }).click();
  expect(await form.getByLabel('Password').inputValue()).toBe('');
  await form.getByLabel('User').fill('noreply');
  await form.getByText('type it again: it is sent to the new address').waitFor();
  expect(await form.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  await form.getByLabel('Password').fill('a long password');
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Office mail is changed.').waitFor();
  expect(await saved()).toMatchObject([
    { attributes: { host: 'smtp.example.org', username: 'noreply' }, secret_attributes: ['password'] },
  ]);

  const { data: big } = await service.client.call('connections.create', {
    body: {
      name: 'Big rows',
      class: 'database.postgres',
      attributes: {
        host: 'db.example.org',
        port: '5432',
        database: 'notes',
        username: 'notes',
        password: 'another one',
      },
    },
  });
  const deploying = await open('/catalog/memos');
  const database = deploying.getByLabel('PostgreSQL');
  await database.getByRole('option', { name: 'rows (postgres)' }).waitFor({ state: 'attached' });
  await database.selectOption({ label: 'Big rows (saved connection)' });
  await expectAccessible(deploying);
  await deploying.getByLabel('Address of the notes').fill('notes.example.org');
  await deploying.getByRole('button', { name: 'Deploy notes' }).click();
  const definition = () =>
    service.client
      .call('definitions.list', {})
      .then(({ data }) => data.find(({ species }) => species === 'memos')?.bindings);
  await expect.poll(definition).toEqual({ db: { connection: big.id } });

  await page.goto('/connections');
  const remove = async (name: string) => {
    await page.getByRole('button', { name: `More for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: `Delete ${name}` }).click();
  };
  await remove('Big rows');
  await page.getByText(/notes is bound to it/i).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await remove('Office mail');
  await page.getByRole('row', { name: /Office mail/ }).waitFor({ state: 'detached' });
  expect((await saved()).map(({ name }) => name)).toEqual(['Big rows']);
});

test('the page looks right on desktop and phone', { timeout: 120_000 }, async () => {
  await service.client.call('connections.create', {
    body: {
      name: 'Mail of the shop',
      class: 'email.smtp',
      attributes: { host: 'smtp.example.org', port: '587', password: 'a long password' },
    },
  });
  await expectGoodPage(browser, service, { session, path: '/connections', ready: 'table', name: 'connections' });
});
