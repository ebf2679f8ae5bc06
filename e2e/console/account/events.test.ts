import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, type ReportedServer } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { openBrowser, openPage } from '../browser.ts';
import { openConsole } from '../console-service.ts';
import { expectGoodPage } from './seen.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let beech: ReportedServer;
const TURNS = 70;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  beech = await addServer(service, 'beech');
  const params = { id: beech.id };
  for (let turn = 0; turn < TURNS; turn++) {
    await service.client.call('servers.drain', { params });
    await service.client.call('servers.undrain', { params });
  }
});

const open = async (path: string): Promise<Page> => {
  const page = await openPage(browser, service, { session });
  await page.goto(path);
  await page.getByRole('region', { name: 'Events' }).waitFor();
  return page;
};

describe('the audit', () => {
  test('lists more than it draws, and reads older events when it is scrolled', async () => {
    const page = await open('/events');
    const list = page.getByRole('region', { name: 'Events' });
    const size = async () => Number(await list.locator('li').first().getAttribute('aria-setsize'));
    expect(await size()).toBe(100);
    expect(await list.locator('li').count()).toBeLessThan(60);
    await list.hover();
    const toTheEnd = async () => {
      await page.mouse.wheel(0, 100_000);
      return await size();
    };
    await expect.poll(toTheEnd, { timeout: 30_000 }).toBeGreaterThan(2 * TURNS);
  });

  test('filters are in the URL, and a link to it shows the same rows', async () => {
    await service.client.call('keys.create', { body: { name: 'ci', permissions: ['servers:read'], expires_at: null } });
    const page = await open('/events');
    await page.getByText('audit.key_created').first().waitFor();
    await page.getByLabel('Resource', { exact: true }).selectOption('server');
    await page.getByLabel('Kind of event').selectOption('audit.*');
    await page.waitForURL(/resource_type=server/);
    await page.waitForURL(/type=audit/);
    const again = await open(new URL(page.url()).pathname + new URL(page.url()).search);
    await again.getByText('audit.server_undrained').first().waitFor();
    expect(await again.getByText('audit.key_created').count()).toBe(0);
    await again.getByRole('button', { name: 'Clear' }).click();
    await again.getByText('audit.key_created').first().waitFor();
  });

  test('a new event appears by itself, unless the filter leaves it out', async () => {
    const [all, servers] = await Promise.all([open('/events'), open('/events?resource_type=server')]);
    const name = 'made while you look';
    await service.client.call('keys.create', { body: { name, permissions: ['servers:read'], expires_at: null } });
    await all.getByText(name).waitFor();
    // A later event that passes the filter shows that the earlier one would have arrived too.
    await service.client.call('servers.drain', { params: { id: beech.id } });
    await servers
      .getByRole('region', { name: 'Events' })
      .locator('li')
      .first()
      .getByText('audit.server_drained')
      .waitFor();
    expect(await servers.getByText(name).count()).toBe(0);
  });

  test('an event opens to its data, in the URL', async () => {
    const page = await open('/events?resource_type=server');
    await page.getByRole('button', { name: 'audit.server_undrained' }).first().click();
    await page.getByRole('region', { name: 'Data of the event' }).getByText('"seq"').waitFor();
    expect(page.url()).toContain('event=evt_');
  });

  test('is accessible in light, dark and on a phone', async () => {
    await expectGoodPage(browser, service, { session, path: '/events', ready: '.event-row', name: 'events' });
  });
});
