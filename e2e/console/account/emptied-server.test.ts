import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, type ReportedServer } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { expectAccessible, openBrowser, openPage } from '../browser.ts';
import { openConsole } from '../console-service.ts';

const GIB = 1024 ** 3;

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let beech: ReportedServer;
let elm: ReportedServer;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  beech = await addServer(service, 'beech');
  elm = await addServer(service, 'elm', 10);
  for (const instance_uid of ['journal', 'letters', 'notes', 'recipes']) {
    const inputs = { WEB_HOSTNAME: `${instance_uid}.example.org` };
    const body = { species: 'memos', instance_uid, server_id: beech.id, inputs };
    await service.client.call('definitions.create', { body });
  }
});

/** Both servers poll, as those of daemons without a channel do, so that they are online. */
async function open(path: string): Promise<Page> {
  for (const { daemon } of [beech, elm]) await daemon.call('deployments.pending', {});
  const page = await openPage(browser, service, { session });
  await page.goto(path);
  return page;
}

test('the service chooses the server of a new instance, and the plan says why', async () => {
  const page = await open('/catalog/memos');
  await page.getByLabel('Choose for me').check();
  await page.getByRole('form', { name: 'Deploy' }).locator('input[name="WEB_HOSTNAME"]').fill('pages.example.org');
  await page.getByRole('region', { name: 'Plan' }).getByText('elm is the server with the most room').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Deploy pages' }).click();
  await page.waitForURL('**/deployments/dep_*');
  const { data } = await service.client.call('definitions.list', { query: { q: 'pages' } });
  expect(data).toMatchObject([{ instance_uid: 'pages', server_id: elm.id }]);
});

test('proposed moves are shown as commands, and nothing moves', async () => {
  for (const { id, daemon } of [beech, elm])
    await daemon.call('capacity.report', {
      params: { server_id: id },
      body: {
        memory: { used: 0, free: GIB / 2 },
        cpu: { cores: 4, used_percent: 1 },
        disk: { used: 1e9, free: 9e9 },
      },
    });
  const page = await open('/servers');
  const moves = page.getByRole('list', { name: 'Proposed moves' });
  await moves.getByText('beech → elm').first().waitFor();
  await moves.getByText(`--server ${elm.id}`).first().waitFor();
  await expectAccessible(page);
  const { data } = await service.client.call('definitions.list', { query: { server_id: beech.id } });
  expect(data).toHaveLength(4);
});

test('a person empties a server after reading the plan, and sees the moves', async () => {
  const page = await open(`/servers/${beech.id}`);
  await page.getByRole('button', { name: 'More for beech' }).click();
  await page.getByRole('menuitem', { name: 'Drain and move…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Empty beech' });
  await dialog.getByRole('list', { name: 'Moves' }).getByText('→ elm').first().waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Drain and move 4 instances' }).click();
  await page.getByText('4 of 4 moved.').waitFor();
  await page.getByRole('button', { name: 'End the drain' }).waitFor();
  const { data } = await service.client.call('definitions.list', { query: { server_id: elm.id } });
  expect(data).toHaveLength(5);
});
