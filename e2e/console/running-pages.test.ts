import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, deployWhole } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { openBrowser, openPage } from './browser.ts';
import { openConsole } from './console-service.ts';
import { countShifts, expectNoShift } from './layout-shifts.ts';
import { expectAccessibleThemes, resizeToPhone } from './looks.ts';
import { keepPolling } from './polling-servers.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let instance: string;
let definition: string;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  const beech = await addServer(service, 'beech');
  keepPolling(beech);
  await deployWhole(service, beech, 'ghost', 'blog');
  await deployWhole(service, beech, 'memos', 'journal', 'unhealthy');
  const { data } = await service.client.call('instances.list', { query: { q: 'blog' } });
  instance = data[0]?.id ?? '';
  definition = data[0]?.definition_id ?? '';
});

const pages = [
  '/instances',
  '/instances/{instance}',
  ...['logs', 'shell', 'actions', 'backups', 'deployments', 'drift', 'events'].map(
    (tab) => `/instances/{instance}?tab=${tab}`,
  ),
  '/definitions',
  '/definitions/{definition}',
  ...['revisions', 'secrets', 'move', 'export'].map((tab) => `/definitions/{definition}?tab=${tab}`),
  '/deployments',
];

/** Opens a page whose data is late; layout shifts are counted from the beginning. */
async function open(path: string): Promise<Page> {
  const page = await openPage(browser, service, { session });
  await countShifts(page);
  await page.route('**/api/v1/**', async (route) => {
    if (!route.request().headers().accept?.includes('event-stream')) await new Promise((done) => setTimeout(done, 300));
    await route.continue();
  });
  await page.goto(path.replace('{instance}', instance).replace('{definition}', definition));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
  return page;
}

test.for(pages)(
  '%s does not move when its data arrives, is accessible in both themes, and fits a phone',
  async (path) => {
    const page = await open(path);
    await expectNoShift(page, path);
    await expectAccessibleThemes(page);
    await resizeToPhone(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  },
);
