import { pageTokenHeader } from '@hortus/contract/protocol/page-token';
import { addServer, deployWhole } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { clientOf, type ServiceProcess } from '../service-process.ts';
import { openBrowser, openPage } from './browser.ts';
import { startConsoleService } from './console-service.ts';

/** Requests a minute of the Free plan. */
const FREE = 60;
const MINUTES = process.env.HORTUS_TEST_LONG ? 60 : 10;
const SECONDS_ON_A_PAGE = 10;
const rates = (free: number) => `free=${free},pro=300,enterprise=1000000,anonymous=1000000,server=1000000`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});

/** Opens the console as the owner of a new account on the Free plan. */
async function joinFree(service: ServiceProcess, page: Page): Promise<void> {
  const { data } = await service.client.call('accounts.create', {
    body: { name: 'Fernhill', plan: 'free', owner_email: 'fern@example.org' },
  });
  await page.goto(`/invite#${data.invite.token}`);
  await page.getByLabel('Password').fill('a password of fern');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('navigation', { name: 'Main' }).getByText('Fernhill').waitFor();
}

/** Makes an API key with all permissions of the person who is signed in. */
const keyOf = async (page: Page): Promise<string> => {
  const pageToken = await page.evaluate<string>(`localStorage.getItem('${pageTokenHeader}')`);
  const headers = { origin: new URL(page.url()).origin, [pageTokenHeader]: pageToken };
  const { data: session } = await (await page.request.get('/api/v1/account', { headers })).json();
  const { data } = await (
    await page.request.post('/api/v1/account/keys', {
      headers,
      data: { name: 'changes', permissions: session.permissions },
    })
  ).json();
  return data.key;
};

const placesOf = async (page: Page) => {
  const places = await page.getByRole('navigation', { name: 'Main' }).getByRole('listitem').getByRole('link').all();
  expect(places.length).toBeGreaterThan(0);
  return places;
};

test('a person on the Free plan who opens every page three times within a minute meets no 429', async () => {
  const service = await startConsoleService({ HORTUS_RATE_LIMITS: rates(FREE) });
  const page = await openPage(browser, service);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 429) refused.push(response.url());
  });
  await joinFree(service, page);
  const places = await placesOf(page);
  for (let round = 0; round < 3; round++) {
    for (const place of places) {
      await place.click();
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
  }
  expect(refused).toEqual([]);
});

test(`${MINUTES} minutes of browsing, with changes all the time, are within the Free plan in every minute`, {
  timeout: 600_000,
}, async () => {
  // The clock of the page runs, that of the service does not: the requests are counted by the time of the page.
  const service = await startConsoleService({ HORTUS_RATE_LIMITS: rates(1_000_000) });
  const page = await openPage(browser, service);
  await page.clock.install();
  await joinFree(service, page);
  const key = await keyOf(page);
  const account = { base: service.base, client: clientOf(service.base, key) };
  const server = await addServer(account, 'fern');
  await page.clock.pauseAt(new Date(Date.now() + 60_000));

  let seconds = 0;
  const askedAt: number[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/api/')) askedAt.push(seconds);
  });
  const places = await placesOf(page);
  for (let view = 0; seconds < MINUTES * 60; view++, seconds += SECONDS_ON_A_PAGE) {
    await places[view % places.length]?.click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (view % 6 === 0) await deployWhole(account, server, 'memos', `memos-${view}`);
    await page.clock.runFor(SECONDS_ON_A_PAGE * 1_000);
  }
  const minutes = Array.from(
    { length: MINUTES },
    (_, minute) => askedAt.filter((at) => at >= minute * 60 && at < minute * 60 + 60).length,
  );
  console.log(`Requests in each minute: ${minutes.join(' ')}`);
  expect(Math.min(...minutes)).toBeGreaterThan(0);
  expect(Math.max(...minutes)).toBeLessThanOrEqual(FREE);
});
