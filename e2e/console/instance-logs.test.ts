import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, deployWhole } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { openBrowser, openPage, type PageOptions } from './browser.ts';
import { openConsole } from './console-service.ts';
import { expectAccessibleThemes } from './looks.ts';
import { keepPolling } from './polling-servers.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let id: string;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  const beech = await addServer(service, 'beech');
  keepPolling(beech);
  await deployWhole(service, beech, 'memos', 'journal');
  const { data } = await service.client.call('instances.list', {});
  id = data[0]?.id ?? '';
});

interface Shown {
  readonly text: (place: number) => string;
  readonly level?: (place: number) => string | null;
  readonly count: number;
}

const lineOf = ({ text, level }: Shown, place: number) => ({
  id: String(place),
  at: new Date(Date.UTC(2030, 0, 1) + place * 1000).toISOString(),
  component: place % 2 === 0 ? 'app' : 'db',
  replica: 1,
  container_id: 'c0ffee',
  stream: 'stdout',
  level: level?.(place) ?? null,
  text: text(place),
  cut: false,
});
const event = (name: string, data: object, eventId?: string) =>
  `${eventId ? `id: ${eventId}\n` : ''}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** Answers the stream with lines, as a daemon would send them; a second stream stays open without lines. */
async function withLines(page: Page, shown: Shown, more = ''): Promise<URL[]> {
  const asked: URL[] = [];
  await page.route(/\/instances\/[^/]+\/logs(\?|$)/, async (route) => {
    asked.push(new URL(route.request().url()));
    if (asked.length > 1) return;
    const lines = Array.from({ length: shown.count }, (_, place) =>
      event('line', lineOf(shown, place + 1), `${place + 1}`),
    );
    await route.fulfill({ contentType: 'text/event-stream', body: lines.join('') + more });
  });
  return asked;
}

const openLogs = async (
  shown: Shown,
  { search = '', more = '', ...options }: PageOptions & { search?: string; more?: string } = {},
) => {
  const page = await openPage(browser, service, { session, ...options });
  const asked = await withLines(page, shown, more);
  await page.goto(`/instances/${id}?tab=logs${search}`);
  await page.locator('.log-row').first().waitFor();
  return { page, asked };
};
const log = (page: Page) => page.getByRole('log', { name: 'Lines' });
const plain: Shown = { count: 300, text: (place) => `line ${place}` };

describe('the log of an instance', () => {
  test('follows the end until the reader scrolls up, and keeps the position in the URL', async () => {
    const { page } = await openLogs(plain);
    await log(page).getByText('line 300', { exact: true }).waitFor();
    await page.evaluate("document.querySelector('.log').scrollTop = 2100");
    await page.getByRole('button', { name: 'Follow' }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe('101');
    await page.getByRole('button', { name: 'Follow' }).click();
    await log(page).getByText('line 300', { exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(null);
  });

  test('a link with a position begins there', async () => {
    const page = await openPage(browser, service, { session });
    const from = page.waitForRequest((request) => new URL(request.url()).pathname.endsWith('/logs'));
    await withLines(page, plain);
    await page.goto(`/instances/${id}?tab=logs&at=101`);
    expect((await (await from).allHeaders())['last-event-id']).toBe('100');
  });

  test('search, component and level are filters of the service, and found words are marked', async () => {
    const { page, asked } = await openLogs(plain, { search: '&q=Line&level=warn' });
    expect(asked[0]?.searchParams.get('q')).toBe('Line');
    expect(asked[0]?.searchParams.get('level')).toBe('warn');
    expect(await page.locator('.log-row mark').first().innerText()).toBe('line');
  });

  test('says where lines were left out', async () => {
    const { page } = await openLogs(plain, { more: event('left_out', { lines: 42 }) });
    await log(page).getByText('42 lines left out here').waitFor();
  });

  test('markup in a log line stays text', async () => {
    const { page } = await openLogs({ count: 3, text: () => '<img src=x onerror=alert(1)><b>bold</b>' });
    await log(page).getByText('<img src=x onerror=alert(1)><b>bold</b>').first().waitFor();
    expect(await page.locator('.log img').count()).toBe(0);
  });

  test('100,000 lines are a few rows of the document, and the file has them all', async () => {
    const { page } = await openLogs({ ...plain, count: 100_000 });
    await log(page).getByText('line 100000', { exact: true }).waitFor();
    expect(await page.locator('.log-row').count()).toBeLessThan(200);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the lines' }).click();
    const stream = await (await download).createReadStream();
    let lines = 0;
    for await (const chunk of stream) lines += String(chunk).split('\n').length - 1;
    expect(lines).toBe(100_000);
  });

  test('has no serious accessibility finding in light and dark', async () => {
    const levels = [null, 'warn', 'error'];
    const { page } = await openLogs({ ...plain, level: (place) => levels[place % 3] ?? null });
    await expectAccessibleThemes(page);
  });
});
