import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { openBrowser, openPage } from './browser.ts';
import { startConsoleService } from './console-service.ts';

const HORTUS_RATE_LIMITS = 'free=60,pro=300,enterprise=1000,anonymous=1000,server=3000';
let browser: Browser;
let service: ServiceProcess;
beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startConsoleService({ HORTUS_RATE_LIMITS })]);
});

test('a person on the Free plan who opens every page three times within a minute meets no 429', async () => {
  const { data } = await service.client.call('accounts.create', {
    body: { name: 'Fernhill', plan: 'free', owner_email: 'fern@example.org' },
  });
  const page = await openPage(browser, service);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 429) refused.push(response.url());
  });
  await page.goto(`/invite#${data.invite.token}`);
  await page.getByLabel('Password').fill('a password of fern');
  await page.getByRole('button', { name: 'Join' }).click();
  const index = page.getByRole('navigation', { name: 'Main' });
  await index.getByText('Fernhill').waitFor();
  const places = await index.getByRole('listitem').getByRole('link').all();
  expect(places.length).toBeGreaterThan(0);
  for (let round = 0; round < 3; round++) {
    for (const place of places) {
      await place.click();
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
  }
  expect(refused).toEqual([]);
});
