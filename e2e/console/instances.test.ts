import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, beginDeployment, deployWhole, type ReportedServer } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, openBrowser, openPage, type PageOptions } from './browser.ts';
import { openConsole } from './console-service.ts';
import { keepPolling } from './polling-servers.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let beech: ReportedServer;
let rowan: ReportedServer;
let journal: string;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  [beech, rowan] = [await addServer(service, 'beech'), await addServer(service, 'rowan')];
  keepPolling(beech, rowan);
  await deployWhole(service, beech, 'uptime-kuma', 'kuma');
  await deployWhole(service, beech, 'memos', 'journal', 'unhealthy');
  await deployWhole(service, rowan, 'umami', 'orders-db');
  journal = await instanceNamed('journal');
});

const instanceNamed = async (q: string): Promise<string> => {
  const { data } = await service.client.call('instances.list', { query: { q } });
  return data[0]?.id ?? '';
};

const open = async (path: string, options: PageOptions = {}): Promise<Page> => {
  const page = await openPage(browser, service, { session, ...options });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};

const names = (page: Page) => page.locator('.instance-table .row-link').allInnerTexts();

describe('the list of instances', () => {
  test('says how many there are and which need attention, and opens one by a click on its row', async () => {
    const page = await open('/instances');
    await page.getByRole('heading', { name: '3 instances. 1 needs you.' }).waitFor();
    await page
      .getByRole('row', { name: /journal/ })
      .getByText('Unhealthy')
      .waitFor();
    await page.getByRole('row', { name: /orders-db/ }).click();
    await page.getByRole('heading', { level: 1, name: 'orders-db' }).waitFor();
  });

  test('keeps search, filter and sort in the URL, so that a link shows the same rows', async () => {
    const page = await open('/instances');
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await expect.poll(() => names(page)).toEqual(['journal', 'kuma', 'orders-db']);
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await expect.poll(() => names(page)).toEqual(['orders-db', 'kuma', 'journal']);
    await page.keyboard.press('/');
    await page.keyboard.type('R');
    await expect.poll(() => new URL(page.url()).search).toContain('q=R');
    await expect.poll(() => names(page)).toEqual(['orders-db', 'journal']);
    await page.getByRole('combobox', { name: 'Server' }).selectOption({ label: 'beech' });
    await expect.poll(() => names(page)).toEqual(['journal']);
    const again = await open(new URL(page.url()).pathname + new URL(page.url()).search);
    await expect.poll(() => names(again)).toEqual(['journal']);
    expect(await again.getByRole('searchbox').inputValue()).toBe('R');
  });

  test('a filter without a match explains itself and can be cleared', async () => {
    const page = await open('/instances?q=nothing-like-this');
    await page.getByText('No instance matches.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expect.poll(async () => (await names(page)).length).toBe(3);
  });

  test('of 10,000 instances only the rows in view exist, and only their pages are read', async () => {
    const page = await openPage(browser, service, { session });
    const { data } = await service.client.call('instances.list', {});
    const read: number[] = [];
    await page.route('**/api/v1/instances?*', async (route) => {
      const number = Number(new URL(route.request().url()).searchParams.get('page'));
      read.push(number);
      const rows = Array.from({ length: 100 }, (_, place) => ({
        ...data[0],
        id: `ins_${number}_${place}`,
        name: `instance ${(number - 1) * 100 + place + 1}`,
      }));
      const pagination = { page: number, per_page: 100, total: 10_000, total_pages: 100 };
      await route.fulfill({ json: { success: true, data: rows, pagination } });
    });
    await page.goto('/instances');
    await page.getByText('instance 1', { exact: true }).waitFor();
    await page.evaluate('document.scrollingElement.scrollTop = 1e9');
    await page.getByText('instance 10000', { exact: true }).waitFor();
    expect(await page.locator('.instance-table .row').count()).toBeLessThan(80);
    expect(read.every((number) => number <= 2 || number >= 99)).toBe(true);
  });

  test('health changes appear without a reload', async () => {
    const page = await open('/instances?q=kuma');
    const row = page.getByRole('row', { name: /kuma/ });
    await row.getByText('Healthy').waitFor();
    const { data } = await service.client.call('instances.list', { query: { q: 'kuma' } });
    const report = (health: 'healthy' | 'unhealthy') =>
      beech.daemon.call('instances.report', {
        body: { instances: [{ definition_id: data[0]?.definition_id ?? '', status: 'running', health }] },
      });
    await report('unhealthy');
    await row.getByText('Unhealthy').waitFor();
    await report('healthy');
  });
});

describe('the page of an instance', () => {
  test('opens with how it is, its components, facts and actions in one request beside the charts', async () => {
    const page = await openPage(browser, service, { session });
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.includes('/instances/')) asked.push(pathname.replace(journal, '{id}'));
    });
    await page.goto(`/instances/${journal}`);
    await page.getByRole('heading', { level: 1, name: 'journal' }).waitFor();
    await page.getByText(/Running, unhealthy for/).waitFor();
    await page.getByRole('heading', { name: 'CPU' }).waitFor();
    await page.getByText('no drift').waitFor();
    const reads = asked.filter((path) => path.startsWith('/api/'));
    expect(new Set(reads)).toEqual(new Set(['/api/v1/instances/{id}/overview', '/api/v1/instances/{id}/metrics']));
  });

  test('restart and stop are orders, and stay buttons of the palette', async () => {
    const page = await open(`/instances/${journal}`);
    await page.getByRole('button', { name: 'Restart' }).click();
    await page.getByText('Restarting journal.').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('stop journal');
    await page.getByRole('option', { name: /Stop journal/ }).waitFor();
    await page.keyboard.press('Escape');
    const { data } = await service.client.call('actions.all', { query: { instance_id: journal } });
    expect(data.map(({ slug }) => slug)).toContain('hortus.restart');
  });

  test('releasing asks for the name first', async () => {
    const page = await open(`/instances/${await instanceNamed('kuma')}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Release…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Release kuma' });
    const button = dialog.getByRole('button', { name: 'Release kuma' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByLabel('Type kuma to confirm').fill('kuma');
    expect(await button.isDisabled()).toBe(false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('drift is listed with both values, and healing deploys again', async () => {
    const id = await instanceNamed('orders-db');
    await rowan.daemon.call('instances.drift', {
      params: { id },
      body: { drift: [{ field: 'limits.memory', declared: 67108864, actual: 134217728, component: 'db' }] },
    });
    const page = await open(`/instances/${id}?tab=drift`);
    await page
      .getByRole('row', { name: /limits.memory/ })
      .getByText('134217728')
      .waitFor();
    await page.getByRole('button', { name: 'Heal now' }).click();
    await page.getByText('Deploying orders-db.').waitFor();
    await expectAccessible(page);
  });

  test('the end of a first deployment shows its containers without a reload, and the charts begin with the instance', async () => {
    const { deploymentId, definitionId } = await beginDeployment(service, rowan, 'memos', 'fresh');
    const page = await open(`/instances/${await instanceNamed('fresh')}`);
    await page.getByText('No containers yet.').waitFor();
    const instance = { definition_id: definitionId, status: 'running', health: 'healthy' } as const;
    const components = [{ name: 'main', status: 'running', health: 'healthy', image: 'memos:1' } as const];
    await rowan.daemon.call('deployments.report', {
      body: { deployment_id: deploymentId, status: 'success', instance, components },
    });
    await page.getByRole('table', { name: 'Components' }).getByText('memos:1').waitFor();
    await page.getByRole('heading', { name: 'CPU since it was created' }).waitFor();
  });

  test('markup in a component name stays text', async () => {
    const name = '<img src=x onerror=alert(1)>';
    await beech.daemon.call('instances.syncComponents', {
      body: { instance_id: journal, components: [{ name: 'app', status: 'running', image: name }] },
    });
    const page = await open(`/instances/${journal}`);
    await page.getByText(name).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('a person without a permission gets neither its button nor its effect', async () => {
    const permissions = ['instances:read'] as const;
    const { data: key } = await service.client.call('keys.create', {
      body: { name: 'reader', permissions: [...permissions] },
    });
    const page = await openPage(browser, service, { session });
    await page.route('**/api/v1/account', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { ...body, data: { ...body.data, permissions } } });
    });
    await page.goto(`/instances/${journal}`);
    await page.getByRole('heading', { level: 1, name: 'journal' }).waitFor();
    for (const name of ['Restart', 'Stop', 'New revision', 'More', 'Back up now'])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    const tabs = page.getByRole('navigation', { name: 'Views of the instance' });
    expect(await tabs.getByRole('link').allInnerTexts()).toEqual(['Summary', expect.stringContaining('Drift')]);
    for (const [method, path] of [
      ['POST', 'restart'],
      ['POST', 'shells'],
      ['POST', 'backups'],
      ['GET', 'logs'],
    ] as const) {
      const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' };
      const body = method === 'POST' ? '{}' : null;
      const refused = await fetch(`${service.base}/instances/${journal}/${path}`, { method, headers, body });
      expect(refused.status, path).toBe(403);
    }
    await page.goto(`/instances/${journal}?tab=shell`);
    await page.getByRole('heading', { level: 1, name: 'journal' }).waitFor();
    expect(await page.getByRole('button', { name: 'Open a shell' }).count()).toBe(0);
  });
});
