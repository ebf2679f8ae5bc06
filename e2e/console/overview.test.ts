import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, beginDeployment, deployWhole, type ReportedServer } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, expectStill, openBrowser, openPage } from './browser.ts';
import { openConsole } from './console-service.ts';
import { expectAccessibleThemes } from './looks.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let beech: ReportedServer;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  beech = await addServer(service, 'beech');
  await deployWhole(service, beech, 'uptime-kuma', 'kuma');
  await deployWhole(service, beech, 'memos', 'journal', 'unhealthy');
});

const openOverview = async (options: { colorScheme?: 'light' | 'dark'; width?: number } = {}): Promise<Page> => {
  const page = await openPage(browser, service, { session, ...options });
  await page.goto('/');
  await page.getByRole('heading', { level: 1, name: /instances? on/ }).waitFor();
  return page;
};

describe('the overview', () => {
  test('opens with a sentence, the servers as beds, and what needs a person', async () => {
    const page = await openOverview();
    await page.getByRole('heading', { name: '2 instances on 1 server. One needs you.' }).waitFor();
    await page.getByText(/journal has been unhealthy for/).waitFor();
    const bed = page.locator('.bed', { hasText: 'beech' });
    await bed.getByText('kuma', { exact: true }).waitFor();
    expect(await bed.getByRole('meter', { name: 'CPU of beech' }).getAttribute('aria-valuenow')).toBe('40');
  });

  test('an event appears without a reload, and so does what it changed', async () => {
    const page = await openOverview();
    await page.evaluate('globalThis.sameDocument = true');
    const { data } = await service.client.call('servers.register', { body: { name: 'alder', environment: 'staging' } });
    await page.locator('.events').getByText('server registered').first().waitFor();
    await page.locator('.bed', { hasText: 'alder' }).waitFor();
    await service.client.call('servers.delete', { params: { id: data.id } });
    await page.locator('.bed', { hasText: 'alder' }).waitFor({ state: 'detached' });
    expect(await page.evaluate('globalThis.sameDocument')).toBe(true);
  });

  test('a running deployment shows its steps, and the tree of a screen reader has the current one', async () => {
    const page = await openOverview();
    const { deploymentId } = await beginDeployment(service, beech, 'memos', 'letters');
    const rolling = page.getByRole('region', { name: 'Rolling out' }).or(page.locator('.rolling-out'));
    await rolling.getByText('letters').waitFor();
    expect(await rolling.getByRole('listitem').allInnerTexts()).toHaveLength(4);
    expect(await rolling.locator('[aria-current=step]').innerText()).toContain('Wait until healthy');
    const failed = { status: 'failed' as const, error: 'over' };
    await beech.daemon.call('deployments.status', { params: { id: deploymentId }, body: failed });
    await rolling.waitFor({ state: 'detached' });
  });

  test('markup in the name of a server or an instance stays text', async () => {
    const name = '<img src=x onerror=alert(1)>';
    const { data } = await service.client.call('servers.register', { body: { name, environment: 'staging' } });
    const { definitionId } = await beginDeployment(service, beech, 'memos', 'evil');
    await service.client.call('definitions.update', { params: { id: definitionId }, body: { name } });
    const page = await openOverview();
    await page.locator('.bed').getByRole('heading', { name }).waitFor();
    await page.locator('.plants').getByText(name).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await service.client.call('servers.delete', { params: { id: data.id } });
  });

  test('a person without a permission sees neither the place nor the button for it', async () => {
    const page = await openPage(browser, service, { session });
    await page.route('**/api/v1/account', async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      await route.fulfill({ response, json: { ...rest, data: { ...data, permissions: ['instances:read'] } } });
    });
    await page.goto('/');
    await page.locator('.bed').first().waitFor();
    const places = await page.getByRole('navigation', { name: 'Main' }).getByRole('listitem').allInnerTexts();
    for (const place of places) expect(place).toMatch(/^(?:Overview|Instances|Settings)/);
    expect(await page.locator('main header .btn').count()).toBe(0);
  });

  test('has no serious accessibility finding in light and dark', async () => {
    await expectAccessibleThemes(await openOverview());
  });

  test('fits a phone without scrolling sideways, with a bar of tabs', async () => {
    const page = await openOverview({ width: 390 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.locator('.tabbar').getByText('Overview').waitFor();
    await expectAccessible(page);
  });

  test('does not move when its data arrives', async () => {
    const page = await openPage(browser, service, { session });
    await expectStill(page, '/', '.bed', /\/api\/v1\/overview/);
  });

  test('a theme that a person chose is there before the first paint, and the system decides again on request', async () => {
    const page = await openOverview({ colorScheme: 'dark' });
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Theme and account' }).locator('visible=true').click();
      await page.getByRole('menuitemradio', { name }).click();
    };
    const theme = () => page.locator('html').getAttribute('data-theme');
    await choose('Light');
    expect(await theme()).toBe('light');
    // Without the console's own code, only the script before the first paint has run.
    await page.route('**/assets/index-*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
    await page.reload({ waitUntil: 'commit' });
    await expect.poll(theme).toBe('light');
    await page.unroute('**/assets/index-*.js');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: /instances? on/ }).waitFor();
    await choose('System');
    expect(await theme()).toBe('dark');
  });
});

describe('the keyboard', () => {
  test('opens the palette, finds a place, goes there, and shows its keys', async () => {
    const page = await openOverview();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Find or do anything' });
    await palette.getByRole('combobox').waitFor();
    await expectAccessible(page);
    await page.keyboard.type('dark theme');
    await palette.getByRole('option', { name: /Use the dark theme/ }).waitFor();
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to Overview').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

describe('the cost of the overview', () => {
  test('is at most 200 KB of compressed JavaScript, and three requests to the API', async () => {
    const page = await openPage(browser, service, { session });
    const asked: string[] = [];
    page.on('response', async (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.startsWith('/api/')) asked.push(pathname);
    });
    await page.goto('/');
    await page.locator('.bed').first().waitFor();
    await page.locator('.events li').first().waitFor();
    await expect.poll(() => asked.length).toBe(3);
    expect(asked.sort()).toEqual(['/api/v1/account', '/api/v1/events', '/api/v1/overview']);
    // By name, because a file that was preloaded is listed twice.
    const bytes = await page.evaluate<number>(`(() => {
      const files = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'));
      return [...new Map(files.map((one) => [one.name, one.encodedBodySize])).values()].reduce((sum, size) => sum + size, 0);
    })()`);
    console.log(`JavaScript of the overview: ${Math.round(bytes / 1024)} KB`);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(200 * 1024);
  });
});
