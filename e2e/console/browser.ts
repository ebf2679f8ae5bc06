import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pageTokenHeader } from '@hortus/contract/protocol/page-token';
import { launchChromium } from '@hortus/testkit/chromium';
import { browserState, type PageSession, signIn as signInAt } from '@hortus/testkit/page-session';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { countShifts, expectNoShift } from './layout-shifts.ts';

let launched: Promise<Browser> | undefined;

/**
 * Starts Debian's Chromium, or returns the running one of this process: test files that share a process share it. It ends
 * with the process, which holds its pipe. Tests open a page each, in a context of its own.
 */
export async function openBrowser(): Promise<Browser> {
  const running = await launched?.catch(() => undefined);
  if (running?.isConnected()) return running;
  launched = launchChromium();
  return await launched;
}

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  /** Without it the browser is signed out. */
  readonly session?: PageSession;
}

/**
 * Opens a page. The test fails at its end if the page threw or logged an error, was refused something by its
 * Content-Security-Policy, or asked anyone but the service. Refused requests are answers, not errors.
 */
export async function openPage(browser: Browser, { root }: ServiceProcess, options: PageOptions = {}): Promise<Page> {
  const { colorScheme = 'light', width = 1440, session } = options;
  const context = await browser.newContext({
    baseURL: root,
    colorScheme,
    viewport: { width, height: 900 },
    ...(session && { storageState: browserState(session, root) }),
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`threw ${error.stack}`));
  page.on('console', (message) => {
    const isResponse = /Failed to load resource: the server responded with a status of 4/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isResponse) problems.push(`logged ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== root && url.protocol.startsWith('http')) problems.push(`asked ${url}`);
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  return page;
}

/** Signs in over the API. */
export const signIn = (service: ServiceProcess, email: string, password: string): Promise<PageSession> =>
  signInAt(service, { email, password });

/** Requests a path of the API as a script of our own pages would, and returns the status. */
export const fetchInPage = (page: Page, path: string, method = 'GET', body?: object): Promise<number> =>
  page.evaluate(
    async ({ header, path, method, body }) => {
      // In the page, whose types Node does not know.
      const { localStorage } = globalThis as unknown as { localStorage: { getItem(name: string): string } };
      const headers = { [header]: localStorage.getItem(header), 'content-type': 'application/json' };
      return (await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).status;
    },
    { header: pageTokenHeader, path, method, body },
  );

/** Opens a path with slow answers of the API, and expects that nothing moved when they were shown. */
export async function expectStill(page: Page, path: string, shown: string, slow = /\/api\/v1\//): Promise<void> {
  await countShifts(page);
  await page.route(slow, async (route) => {
    await new Promise((done) => setTimeout(done, 400));
    await route.continue();
  });
  await page.goto(path);
  await page.locator(shown).first().waitFor();
  await expectNoShift(page, path);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * In the page, whose types Node does not know: waits for the end of all visible transitions. One within closed details stands still
 * and never ends.
 */
const FINISH_TRANSITIONS = `Promise.all(
  document.getAnimations()
    .filter((one) => one instanceof CSSTransition && one.effect.target.checkVisibility())
    .map(({ finished }) => finished.catch(() => {})),
)`;

/** In the page: names the serious findings only, because describing and sending what passed takes most of the time. */
const FIND_SERIOUS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`;

/** Expects no serious or critical finding of axe-core. */
export async function expectAccessible(page: Page): Promise<void> {
  // Colours that are changing, of a theme or of a button, would be measured half way.
  await page.evaluate(FINISH_TRANSITIONS);
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe);
  expect(await page.evaluate<string[]>(FIND_SERIOUS)).toEqual([]);
}
