import type { PageSession } from '@hortus/testkit/page-session';
import { startReceiver } from '@hortus/testkit/receiver';
import { addServer, deployWhole } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { expectAccessible, openBrowser, openPage } from '../browser.ts';
import { openConsole } from '../console-service.ts';
import { expectGoodPage } from './seen.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
});

const open = async (path: string): Promise<Page> => {
  const page = await openPage(browser, service, { session });
  await page.goto(path);
  return page;
};

describe('webhooks', () => {
  test('an endpoint is added, tested and told; its delivery shows request and response, and is sent again', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const markup = '<img src=x onerror=alert(1)>';
    receiver.respond({ status: 202, body: markup });
    const page = await open('/webhooks');
    await page.getByText('No webhooks yet.').waitFor();
    await page.getByRole('button', { name: 'Add a webhook…' }).click();
    const form = page.getByRole('dialog', { name: 'Add a webhook' });
    await form.getByLabel('Address').fill(`${receiver.url}/hook`);
    const secret = await form.getByLabel('Secret').inputValue();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    await form.getByLabel('definition.created').check();
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const host = new URL(receiver.url).host;
    await page.getByRole('link', { name: host }).click();

    await page.getByRole('button', { name: 'Send a test' }).click();
    const result = page.getByRole('dialog', { name: `Test of ${host}` });
    await result.getByText(/Accepted with 202/).waitFor();
    await result.getByText(markup).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await result.getByRole('button', { name: 'Done' }).click();

    await deployWhole(service, await addServer(service, 'beech'), 'memos', 'journal');
    const deliveries = page.getByRole('table', { name: 'Deliveries' });
    await deliveries.getByText('definition.created').first().click();
    const opened = page.getByRole('region', { name: 'Delivery' });
    await opened.getByText(`POST ${receiver.url}/hook`).waitFor();
    await opened.getByText('"type": "definition.created"').waitFor();
    await opened.getByText('HTTP 202', { exact: true }).waitFor();
    await opened.getByRole('region', { name: 'Answer' }).getByText(markup).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(page.url()).toContain('delivery=dlv_');
    const before = receiver.requests.length;
    await opened.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.requests.length, { timeout: 30_000 }).toBe(before + 1);
    await expectGoodPage(browser, service, {
      session,
      path: new URL(page.url()).pathname + new URL(page.url()).search,
      ready: '[aria-label=Request]',
      name: 'webhook',
    });

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await expectGoodPage(browser, service, { session, path: '/webhooks', ready: 'table', name: 'webhooks' });
    await page.getByRole('button', { name: `More for ${host}` }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByLabel(`Type ${host} to confirm`).fill(host);
    await page.getByRole('button', { name: `Remove ${host}` }).click();
    await page.getByText('No webhooks yet.').waitFor();
  });

  test('an address that is refused is said beside its field', async () => {
    const page = await open('/webhooks?new=webhook');
    await page.getByLabel('Address').fill('ftp://example.org');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.locator('.help.bad').waitFor();
  });
});
