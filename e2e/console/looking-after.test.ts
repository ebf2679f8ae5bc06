import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createAndDeploy, type Installation, inside, openInstallationWithDaemon } from '../docker/installation.ts';
import { openBrowser, openPage, signIn } from './browser.ts';
import { builtConsole, email, password } from './console-service.ts';

let browser: Browser;

beforeAll(async () => {
  [browser] = await Promise.all([openBrowser(), builtConsole()]);
});

const openConsole = () =>
  openInstallationWithDaemon({
    env: { HORTUS_ADMIN_EMAIL: email, HORTUS_CONSOLE_DIR: join(import.meta.dirname, '../../dist/console') },
  });

const openInstance = async ({ service }: Installation, id: string): Promise<Page> => {
  const page = await openPage(browser, service, { session: await signIn(service, email, password) });
  page.setDefaultTimeout(120_000);
  await page.goto(`/instances/${id}`);
  await page.getByText(/Running, healthy for/).waitFor();
  return page;
};

const openTab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views of the instance' }).getByRole('link', { name }).click();

test('a person runs an action, reads its output, works in a shell, and sees in the log what it wrote', {
  timeout: 300_000,
}, async () => {
  await using installation = await openConsole();
  const { instanceId } = await createAndDeploy(installation, 'notes-of-console');
  const page = await openInstance(installation, instanceId);

  await page.getByRole('button', { name: 'Write a line…' }).first().click();
  const form = page.getByRole('dialog', { name: 'Write a line on notes-of-console' });
  await form.getByLabel('line', { exact: true }).fill('<b>from the console</b>');
  await form.getByRole('button', { name: 'Write a line' }).click();
  await page.getByLabel('Execution', { exact: true }).getByText('wrote <b>from the console</b>').waitFor();
  expect(await inside(installation.engine, 'notes-of-console', 'cat', '/data/lines')).toBe('<b>from the console</b>\n');

  await openTab(page, 'Shell');
  await page.getByRole('button', { name: 'Open a shell' }).click();
  const terminal = page.frameLocator('iframe[title=Terminal]');
  await terminal.locator('.xterm-rows').getByText('#').first().waitFor();
  await terminal.locator('.xterm').click();
  await page.keyboard.type('echo "written by $((20+22)) shells" > /proc/1/fd/1\n');
  // The size of the terminal follows the window, and Ctrl-C reaches the program.
  const other = 'until [ "$(busybox stty size)" != "$before" ]; do sleep 0.1; done';
  await page.keyboard.type(`before=$(busybox stty size); echo sized-$((1+1)); ${other}; echo resized-$((2+2))\n`);
  await terminal.locator('.xterm-rows').getByText('sized-2').waitFor();
  await page.setViewportSize({ width: 900, height: 700 });
  await terminal.locator('.xterm-rows').getByText('resized-4').waitFor();
  // Said by the program in the foreground: before it is there, Ctrl-C would reach only the shell.
  await page.keyboard.type(`sh -c 'echo sleeping-$((4+4)); exec sleep 100000'\n`);
  await terminal.locator('.xterm-rows').getByText('sleeping-8').waitFor();
  await page.keyboard.press('Control+c');
  await page.keyboard.type('echo interrupted-$((3+3))\n');
  await terminal.locator('.xterm-rows').getByText('interrupted-6').waitFor();
  await page.keyboard.type('exit 7\n');
  await page.getByText('The shell has ended with exit code 7.').waitFor();

  await openTab(page, 'Logs');
  await page.getByRole('log', { name: 'Lines' }).getByText('written by 42 shells').waitFor();
  await page.context().close();
});

test('a person backs an instance up, verifies and restores it, stops and starts it, and releases it', {
  timeout: 300_000,
}, async () => {
  await using installation = await openConsole();
  const { instanceId } = await createAndDeploy(installation, 'data-of-console');
  const { engine } = installation;
  await inside(engine, 'data-of-console', 'sh', '-c', 'echo kept > /data/lines');
  const page = await openInstance(installation, instanceId);

  await openTab(page, 'Backups');
  await page.getByRole('button', { name: 'Back up now' }).click();
  const row = page.getByRole('table', { name: 'Backups' }).getByRole('row', { name: /Manual/ });
  await row.getByText('Not verified').waitFor();
  await row.getByRole('button', { name: 'More for this backup' }).click();
  await page.getByRole('menuitem', { name: 'Verify' }).click();
  await row.getByText(/^Verified/).waitFor();

  await inside(engine, 'data-of-console', 'sh', '-c', 'echo lost > /data/lines');
  await row.getByRole('button', { name: 'Restore…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore data-of-console' });
  await dialog.getByLabel('Type data-of-console to confirm').fill('data-of-console');
  await dialog.getByRole('button', { name: 'Restore data-of-console' }).click();
  await expect
    .poll(() => inside(engine, 'data-of-console', 'cat', '/data/lines').catch(() => ''), { timeout: 120_000 })
    .toBe('kept\n');

  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText(/^Stopped for/).waitFor();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText(/^Running/).waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Release…' }).click();
  const release = page.getByRole('dialog', { name: 'Release data-of-console' });
  await release.getByText('Its volumes stay').waitFor();
  await release.getByLabel('Type data-of-console to confirm').fill('data-of-console');
  await release.getByRole('button', { name: 'Release data-of-console' }).click();
  await page.getByText(/^Released for/).waitFor();
  expect(await page.getByRole('button', { name: 'Restart' }).count()).toBe(0);
  await page.context().close();
});
