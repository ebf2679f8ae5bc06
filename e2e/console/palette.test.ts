import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, deployWhole } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, openBrowser, openPage } from './browser.ts';
import { openConsole } from './console-service.ts';
import { withPermissions } from './permissions.ts';
import { keepPolling } from './polling-servers.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  const beech = await addServer(service, 'beech');
  keepPolling(beech);
  await deployWhole(service, beech, 'memos', 'journal');
});

async function find(page: Page, text: string) {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Find or do anything' });
  await palette.getByRole('combobox').fill(text);
  const found = (group: string, name: string | RegExp) =>
    palette.getByRole('group', { name: group }).getByRole('option', { name });
  return { palette, found };
}

describe('the palette', () => {
  test('finds an instance, its definition and what can be done with it, on any page', async () => {
    const page = await openPage(browser, service, { session });
    await page.goto('/catalog');
    await page.locator('.card').first().waitFor();
    const { found } = await find(page, 'journal');
    await found('Instances', /^journal/).waitFor();
    await found('Definitions', /journal/).waitFor();
    await found('Do', 'Restart journal').waitFor();
    await expectAccessible(page);
    await found('Do', 'Logs of journal').click();
    await page.waitForURL(/\/instances\/ins_\w+\?tab=logs$/);
  });

  test('finds a species by what it does, and opens it by keyboard alone', async () => {
    const page = await openPage(browser, service, { session });
    await page.goto('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { found } = await find(page, 'newsletter');
    await found('Catalog', /Ghost/).waitFor();
    const chosen = page.locator('[role=option][aria-selected=true]');
    for (let presses = 0; presses < 20 && !/Ghost/.test(await chosen.innerText()); presses++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/catalog/ghost');
  });

  test('offers nothing that the person may not do', async () => {
    const page = await openPage(browser, service, { session });
    await withPermissions(page, ['instances:read', 'servers:read', 'templates:read']);
    await page.goto('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const { palette, found } = await find(page, 'journal');
    await found('Instances', /^journal/).waitFor();
    expect(await palette.getByRole('option', { name: /Restart|Shell|Logs/ }).count()).toBe(0);
    expect(await palette.getByRole('group', { name: 'Definitions' }).count()).toBe(0);
  });
});

test('every place of the index has a key that goes there', async () => {
  const page = await openPage(browser, service, { session });
  await page.goto('/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.waitFor();
  const jumps = (await sheet.locator('dl > div').allInnerTexts())
    .map((row) => row.split(/\s*\n\s*/))
    .flatMap(([g, key, name]) => (g === 'g' && name?.startsWith('Go to ') ? [{ key, name: name.slice(6) }] : []));
  const places = page.getByRole('navigation', { name: 'Main' }).getByRole('listitem').getByRole('link');
  expect(jumps.length).toBeGreaterThanOrEqual(await places.count());
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  for (const { key, name } of jumps) {
    await page.keyboard.press('g');
    await page.keyboard.press(key as string);
    await page.locator('[aria-current=page]').filter({ hasText: name }).first().waitFor();
  }
});
