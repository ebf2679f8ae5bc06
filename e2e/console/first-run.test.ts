import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, openBrowser, openPage } from './browser.ts';
import { startConsoleService } from './console-service.ts';

let browser: Browser;
let service: ServiceProcess;
beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startConsoleService({ HORTUS_ADMIN_PASSWORD: '' })]);
});

test('the link that the first start printed signs in the owner once, who then sees the next steps', async () => {
  const line = await service.process.waitForLine(/\/welcome#/);
  const token = line.split('#')[1] as string;
  const page = await openPage(browser, service);
  await page.goto(`/welcome#${token}`);
  await page.getByLabel('Your name').fill('Mira Aalto');
  await page.getByLabel('Email').fill('mira@example.org');
  await page.getByLabel('Password').fill('short');
  await page.getByLabel('Your name').focus();
  await page.getByText('At least 10 characters.').and(page.locator('.bad')).waitFor();
  await page.getByLabel('Password').fill('a password of mira');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('heading', { name: 'A garden with nothing in it yet.' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByText('Mira Aalto').waitFor();
  await expectAccessible(page);

  const again = await openPage(browser, service);
  await again.goto(`/welcome#${token}`);
  await again.getByLabel('Your name').fill('Another name');
  await again.getByLabel('Email').fill('else@example.org');
  await again.getByLabel('Password').fill('another password');
  await again.getByRole('button', { name: 'Begin' }).click();
  await again.getByRole('alert').getByText('already used').waitFor();
  expect(await again.context().cookies()).toEqual([]);
});
