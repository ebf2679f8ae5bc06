import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { PageSession } from '@hortus/testkit/page-session';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, openInstallationWithDaemon } from '../docker/installation.ts';
import { expectAccessible, openBrowser, openPage, signIn } from './browser.ts';
import { builtConsole, email, password } from './console-service.ts';

let browser: Browser;
let installation: Installation;
let session: PageSession;

beforeAll(async () => {
  await builtConsole();
  const env = { HORTUS_ADMIN_EMAIL: email, HORTUS_CONSOLE_DIR: join(import.meta.dirname, '../../dist/console') };
  [browser, installation] = await Promise.all([openBrowser(), openInstallationWithDaemon({ env })]);
  session = await signIn(installation.service, email, password);
});
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

const open = (path: string, options = {}) =>
  openPage(browser, installation.service, { session, ...options }).then(async (page) => {
    await page.goto(path);
    return page;
  });

/** The label of the focused field, else the text of the focused element. */
const focusedName = `(() => {
  const focused = document.activeElement;
  return (focused?.labels?.[0]?.textContent ?? focused?.textContent ?? '').trim();
})()`;

/** Presses a key until the focused element has a name. */
async function tabTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    const label = String(await page.evaluate(focusedName));
    if (typeof name === 'string' ? label.startsWith(name) : name.test(label)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`The keyboard does not reach ${name}.`);
}

/** What the ingress of the server answers under a host name. */
const pageOf = (host: string): Promise<string> =>
  new Promise((done, fail) => {
    const request = get({ host: '127.0.0.1', port: installation.httpPort, headers: { host }, agent: false });
    request.on('error', fail).on('response', (response) => {
      text(response).then(done, fail);
    });
  });

describe('deploying', () => {
  test('works by keyboard alone, from the overview to the address that answers', { timeout: 180_000 }, async () => {
    const page = await open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByLabel('Search the catalog').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('stateless');
    await page.getByRole('heading', { name: '1 found' }).waitFor();
    await tabTo(page, /stateless/);
    await page.keyboard.press('Enter');
    await page.getByRole('form', { name: 'Deploy' }).waitFor();
    await tabTo(page, 'WEB_HOSTNAME');
    await page.keyboard.type('letters.example.org');
    await page
      .getByRole('region', { name: 'Plan' })
      .getByText(/letters\.example\.org/)
      .first()
      .waitFor();
    await page.keyboard.press('Control+Enter');

    await page.waitForURL('**/deployments/dep_*');
    await page.getByRole('heading', { level: 1, name: 'letters, revision 1' }).waitFor();
    await page.getByText('Revision 1 answers here.').waitFor({ timeout: 120_000 });
    const steps = page.getByRole('list', { name: 'Steps' });
    expect(await steps.getByRole('listitem').filter({ hasText: 'Wait until healthy' }).innerText()).toMatch(/Done/);
    await page.getByRole('status').getByText('The deployment succeeded.').waitFor();
    const address = await page.locator('.address').getByRole('link', { name: 'Open' }).getAttribute('href');
    expect(address).toContain('letters.example.org');
    expect(await pageOf('letters.example.org')).toBe('hello');
  });

  test('a finished rollout makes sense to a screen reader: every step with its state', async () => {
    const page = await open('/catalog/stateful');
    await page.getByLabel('WEB_HOSTNAME').fill('slow.example.org');
    await page.getByRole('button', { name: 'Deploy slow' }).click();
    await page.waitForURL('**/deployments/dep_*');
    await page.getByText('Revision 1 answers here.').waitFor({ timeout: 120_000 });
    const tree = await page.getByRole('main').ariaSnapshot();
    expect(tree).toMatch(/list "Steps":/);
    expect(tree).toMatch(/Create container\s*: Done/);
    expect(tree).toMatch(/log "Lines of the log"/);
    expect(tree).toContain('heading "slow, revision 1" [level=1]');
    await expectAccessible(page);
  });

  test('a failed one says why, what the container wrote last, and what to do', { timeout: 180_000 }, async () => {
    const page = await open('/catalog/unhealthy');
    await page.getByRole('form', { name: 'Deploy' }).getByLabel('Name').fill('sick');
    await page.getByRole('button', { name: 'Deploy sick' }).click();
    await page.waitForURL('**/deployments/dep_*');
    const failure = page.getByRole('alert');
    await failure.getByRole('heading', { level: 2 }).waitFor({ timeout: 120_000 });
    await failure.getByText(/deploy again/i).waitFor();
    await page.getByRole('button', { name: 'Deploy again' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Failed' }).first().waitFor();
    await expectAccessible(page);
    // The page of a finished deployment is the same after a reload, from its address alone.
    await page.reload();
    await failure.getByRole('heading', { level: 2 }).waitFor();
  });

  test('a deployment that does not exist is not found', async () => {
    const page = await open('/deployments/dep_00000000000000000000000000');
    await page.getByRole('alert').getByText('There is no such deployment').waitFor();
  });
});
