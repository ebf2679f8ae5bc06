import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { openConsole } from './console-service.ts';

/** A page without openPage, because the browser logs a lost file as an error. */
async function openPlainPage(): Promise<Page> {
  const [browser, { service }] = await Promise.all([openBrowser(), openConsole()]);
  const context = await browser.newContext({ baseURL: service.root });
  onTestFinished(() => context.close());
  return context.newPage();
}

test('the console loads again by itself whichever of its files was lost on the way', async () => {
  const page = await openPlainPage();
  const lost = new Set<string>();
  await page.route(/\/assets\/.*\.(?:js|css)$/, (route) => {
    const { pathname } = new URL(route.request().url());
    if (lost.has(pathname)) return route.continue();
    lost.add(pathname);
    return route.abort('internetdisconnected');
  });
  await page.goto('/sign-in');
  await page.getByLabel('Password').waitFor();
  await expect.poll(() => page.evaluate('getComputedStyle(document.querySelector("form")).display')).not.toBe('inline');
  expect([...lost].some((name) => name.endsWith('.css'))).toBe(true);
  expect([...lost].some((name) => name.includes('sign-in-page'))).toBe(true);
  expect(lost.size).toBeGreaterThan(2);
});

test('a console whose code stays away says so, and reloads ever less often', async () => {
  const page = await openPlainPage();
  const loads: number[] = [];
  page.on('domcontentloaded', () => loads.push(performance.now()));
  await page.route(/\/assets\/.*\.js$/, (route) => route.abort('internetdisconnected'));
  await page.goto('/sign-in').catch(() => {});
  await page.getByText('The console did not load completely').waitFor();
  await expect.poll(() => loads.length, { timeout: 20_000 }).toBeGreaterThan(4);
  const pauses = loads.slice(1).map((at, index) => at - (loads[index] as number));
  expect(pauses[3] as number).toBeGreaterThan(2 * (pauses[1] as number));
});
