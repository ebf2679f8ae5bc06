import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentMark } from '@hortus/contract/releases/agent-file';
import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, deployWhole, type ReportedServer } from '@hortus/testkit/reported-servers';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, type ServiceProcess } from '../../service-process.ts';
import { expectAccessible, fetchInPage, openBrowser, openPage, signIn } from '../browser.ts';
import { email, password, startConsoleService } from '../console-service.ts';
import { signInMember } from './people.ts';
import { expectGoodPage } from './seen.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let beech: ReportedServer;
/** Stands for a daemon binary that the service offers. */
const binary = Buffer.from(agentMark('1.2.3'));
const agents = temporaryFolder('agents');
afterAll(() => agents.remove());

beforeAll(async () => {
  await writeFile(join(agents.path, 'hortusd-linux-amd64'), binary);
  [browser, service] = await Promise.all([openBrowser(), startConsoleService({ HORTUS_AGENTS_DIR: agents.path })]);
  session = await signIn(service, email, password);
  beech = await addServer(service, 'beech');
  await deployWhole(service, beech, 'memos', 'journal');
});

const open = async (path: string, as: PageSession = session): Promise<Page> => {
  const page = await openPage(browser, service, { session: as });
  await page.goto(path);
  return page;
};

describe('registering a server', () => {
  test('shows the key once in the line to paste, waits, and says when the daemon has connected', async () => {
    const page = await open('/servers');
    await page.getByRole('button', { name: 'Register a server…' }).click();
    await page.getByLabel('Name').fill('alder');
    await page.getByLabel('Environment').selectOption('staging');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Register and show the line' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect alder' });
    await dialog.getByRole('button', { name: 'Copy line' }).waitFor();
    const line = await dialog.locator('code').first().innerText();
    const key = /HORTUSD_KEY=(hs_live_\S+)/.exec(line)?.[1] ?? '';
    expect(line).toContain(` hortus ${service.root} ${createHash('sha256').update(binary).digest('hex')} - --url `);
    expect(line).toContain(`--url ${service.root} --server-id srv_`);
    await dialog.getByText('It downloads the daemon 1.2.3').waitFor();
    await dialog.getByText(/Waiting for it/).waitFor();
    await page.keyboard.press('Escape');
    await clientOf(service.base, key).call('deployments.pending', {});
    await dialog.getByText('Connected').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /alder/ });
    await row.getByText('Online').waitFor();
    expect(await page.content()).not.toContain(key);
  });
});

describe('the page of a server', () => {
  test('shows its room, what runs there, and drains it and ends the drain', async () => {
    const page = await open(`/servers/${beech.id}`);
    await page.getByRole('heading', { level: 1, name: /beech/ }).waitFor();
    await page.getByText('6.4 GiB of 16 GiB').waitFor();
    expect(await page.getByRole('meter', { name: 'CPU of beech' }).getAttribute('aria-valuenow')).toBe('40');
    await page.getByRole('table', { name: 'Instances of this server' }).getByText('journal').waitFor();
    await page.getByRole('button', { name: 'Drain' }).click();
    await page.getByText('it accepts no new deployments').waitFor();
    await page.getByRole('button', { name: 'End the drain' }).click();
    await page.getByRole('button', { name: 'Drain', exact: true }).waitFor();
  });

  test('prunes only after a preview, and only the volumes that were chosen', async () => {
    const page = await open(`/servers/${beech.id}`);
    const orders: unknown[] = [];
    const report = {
      containers: ['old_web'],
      networks: [],
      images: ['memos:0.1'],
      volumes: [],
      kept_volumes: ['old_data'],
    };
    const { data: template } = await service.client.call('servers.read', { params: { id: beech.id } });
    await page.route('**/prune', async (route) => {
      const order = route.request().postDataJSON() as { dry_run: boolean; volumes?: string[] };
      orders.push(order);
      const output = JSON.stringify({ ...report, ...order, volumes: order.volumes ?? [], problems: [] });
      const at = template.created_at;
      const execution = {
        id: `exe_${orders.length}`,
        instance_id: null,
        server_id: beech.id,
        slug: 'prune',
        name: 'Prune',
        kind: 'ordered',
        status: 'completed',
        params: {},
        exit_code: 0,
        output,
        output_truncated: false,
        output_dropped: false,
        error: null,
        outcome: 'known',
        cancelling: false,
        created_by: null,
        created_at: at,
        sent_at: at,
        started_at: at,
        finished_at: at,
      };
      await page.route(`**/actions/${execution.id}`, (read) => read.fulfill({ json: { success: true, execution } }));
      await route.fulfill({ status: 202, json: { success: true, execution } });
    });
    await page.getByRole('button', { name: 'Prune…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Prune beech' });
    await dialog.getByText('old_web').waitFor();
    await dialog.getByRole('button', { name: 'Remove 2 objects' }).waitFor();
    await dialog.getByLabel('old_data').check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Remove 3 objects' }).click();
    await dialog.getByText('objects removed').waitFor();
    expect(orders).toEqual([{ dry_run: true }, { dry_run: false, volumes: ['old_data'] }]);
  });

  test('a rotated key is shown once, and the old one stops at once if that was asked', async () => {
    const oak = await addServer(service, 'oak');
    const page = await open(`/servers/${oak.id}`);
    await page.getByRole('button', { name: 'More for oak' }).click();
    await page.getByRole('menuitem', { name: 'Rotate key…' }).click();
    await page.getByLabel('Revoke the old key at once').check();
    await page.getByLabel('Type oak to confirm').fill('oak');
    await page.getByRole('button', { name: 'Rotate the key of oak' }).click();
    const shown = page.getByRole('dialog', { name: 'New key of oak' });
    const key = await shown.locator('code').innerText();
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await shown.waitFor({ state: 'detached' });
    await expect(oak.daemon.call('deployments.pending', {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await clientOf(service.base, key).call('deployments.pending', {});
  });

  test('a member without the permission gets no button for the key, and no effect', async () => {
    const member = await signInMember(service, 'fern@example.org');
    const page = await open(`/servers/${beech.id}`, member);
    await page.getByRole('button', { name: 'More for beech' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Rotate key…' }).count()).toBe(0);
    expect(await fetchInPage(page, `/api/v1/servers/${beech.id}/rotate-key`, 'POST')).toBe(403);
  });

  test('markup in a description stays text', async () => {
    const description = '<img src=x onerror=alert(1)>';
    await service.client.call('servers.update', { params: { id: beech.id }, body: { description } });
    const page = await open(`/servers/${beech.id}`);
    await page.getByText(description).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await service.client.call('servers.update', { params: { id: beech.id }, body: { description: 'In the cellar' } });
  });
});

describe('the pages of servers', () => {
  const appearances = [
    ['list', () => '/servers', 'table', 'servers'],
    ['page', () => `/servers/${beech.id}`, 'dl.facts', 'server'],
    ['form', () => '/servers?new=server', 'dialog form', 'servers-register'],
  ] as const;
  test.for(appearances)('the %s is accessible in light, dark and on a phone', async ([, path, ready, name]) => {
    await expectGoodPage(browser, service, { session, path: path(), ready, name });
  });
});
