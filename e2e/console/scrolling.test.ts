import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { openBrowser, openPage, signIn } from './browser.ts';
import { email, password, startConsoleService } from './console-service.ts';
import { addBed, keepInTouch, plant } from './garden.ts';

let browser: Browser;
let service: ServiceProcess;
let cookie: string;
let instance: { id: string };

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startConsoleService()]);
  cookie = await signIn(service, email, password);
  const beech = await addBed(service, 'beech');
  keepInTouch(beech);
  await plant(service, beech, 'memos', 'journal');
  const { data } = await service.client.call('instances.list', {});
  instance = data[0] as { id: string };
});

const SCROLLED_MS = 1_500;
const RUNS = 3;

/** Runs in the page: scrolls an element, or the page, and resolves with the frames a second. */
const scroll = `(selector, ms) => new Promise((done) => {
  const element = selector ? document.querySelector(selector) : document.scrollingElement;
  element.scrollTop = 0;
  const start = performance.now();
  let frames = 0;
  const step = (now) => {
    frames++;
    element.scrollTop += 120;
    if (now - start < ms) requestAnimationFrame(step);
    else done((frames * 1000) / (now - start));
  };
  requestAnimationFrame(step);
})`;

/** Frames a second while something scrolls; the best of a few runs, because other programs take time away. */
async function framesOf(page: Page, selector: string | null): Promise<number> {
  let best = 0;
  for (let run = 0; run < RUNS; run++)
    best = Math.max(best, await page.evaluate<number>(`(${scroll})(${JSON.stringify(selector)}, ${SCROLLED_MS})`));
  return best;
}

async function emptyPage(): Promise<number> {
  const page = await openPage(browser, service);
  await page.setContent('<div style="height: 500000px"></div>');
  return framesOf(page, null);
}

test('10,000 instances scroll at nine tenths of the frame rate of an empty page, or more', async () => {
  const empty = await emptyPage();
  const page = await openPage(browser, service, { cookie });
  await page.route('**/api/v1/instances?*', async (route) => {
    const number = Number(new URL(route.request().url()).searchParams.get('page'));
    const data = Array.from({ length: 100 }, (_, place) => ({
      ...instance,
      id: `ins_${number}_${place}`,
      name: `instance ${(number - 1) * 100 + place}`,
    }));
    await route.fulfill({
      json: { success: true, data, pagination: { page: number, per_page: 100, total: 10_000, total_pages: 100 } },
    });
  });
  await page.goto('/instances');
  await page
    .getByRole('row', { name: /instance 5/ })
    .first()
    .waitFor();
  const frames = await framesOf(page, null);
  console.log(`10,000 instances: ${frames.toFixed(1)} frames a second, empty page ${empty.toFixed(1)}`);
  expect(frames / empty).toBeGreaterThan(0.9);
  await expect.poll(() => page.locator('.instance-table .row').count()).toBeLessThan(80);
});

test('100,000 log lines scroll at nine tenths of the frame rate of an empty page, or more', async () => {
  const empty = await emptyPage();
  const page = await openPage(browser, service, { cookie });
  let streams = 0;
  await page.route(/\/instances\/[^/]+\/logs(\?|$)/, async (route) => {
    if (++streams > 1) return;
    const line = {
      at: new Date().toISOString(),
      component: 'app',
      replica: 1,
      container_id: 'c',
      stream: 'stdout',
      level: null,
      cut: false,
    };
    const events = Array.from({ length: 100_000 }, (_, place) => {
      const data = { ...line, id: `${place + 1}`, text: `GET /articles/${place} 200 in ${place % 97} ms` };
      return `id: ${place + 1}\nevent: line\ndata: ${JSON.stringify(data)}\n\n`;
    });
    await route.fulfill({ contentType: 'text/event-stream', body: events.join('') });
  });
  await page.goto(`/instances/${instance.id}?tab=logs`);
  await page.getByText('GET /articles/99999').first().waitFor();
  const frames = await framesOf(page, '.log');
  console.log(`100,000 log lines: ${frames.toFixed(1)} frames a second, empty page ${empty.toFixed(1)}`);
  expect(frames / empty).toBeGreaterThan(0.9);
});
