import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, beginDeployment, deployWhole, type ReportedServer } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, openBrowser, openPage, type PageOptions } from './browser.ts';
import { openConsole } from './console-service.ts';
import { keepPolling } from './polling-servers.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let beech: ReportedServer;
let id: string;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  beech = await addServer(service, 'beech');
  await addServer(service, 'rowan');
  keepPolling(beech);
  await deployWhole(service, beech, 'ghost', 'blog');
  const { data } = await service.client.call('definitions.list', {});
  id = data[0]?.id ?? '';
});

const open = async (path: string, options: PageOptions = {}): Promise<Page> => {
  const page = await openPage(browser, service, { session, ...options });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};

describe('definitions', () => {
  test('a change makes a revision that can be compared side by side and undone', async () => {
    const page = await open('/definitions');
    await page.getByRole('link', { name: 'blog' }).click();
    const host = page.getByLabel(/WEB_HOSTNAME/);
    await host.fill('journal.example.org');
    await page.getByRole('button', { name: 'Save as revision 2' }).click();
    await page.getByText('Revision 2 is saved. It takes effect when it is deployed.').waitFor();
    await page.getByRole('link', { name: /Revisions/ }).click();
    const changed = page.getByRole('row', { name: /WEB_HOSTNAME/ });
    await changed.getByText('blog.example.org').waitFor();
    await changed.getByText('journal.example.org').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /Revision 1/ }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('right')).toBe('1');
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await page.getByText(/is the current one/).waitFor();
  });

  test('a value that the service refuses is named at its field', async () => {
    const page = await open(`/definitions/${id}`);
    await page.getByLabel(/WEB_HOSTNAME/).fill('not a host name');
    await page.getByRole('button', { name: /Save as revision/ }).click();
    await page.locator('.help.bad').first().waitFor();
  });

  test('secrets are names without values, and a rotation makes a revision', async () => {
    const page = await open(`/definitions/${id}?tab=secrets`);
    await page.getByRole('button', { name: 'Rotate' }).first().click();
    await page.getByText(/has a new/).waitFor();
    await expectAccessible(page);
  });

  test('a generated secret is shown on request', async () => {
    const page = await open(`/definitions/${id}?tab=secrets`);
    await page
      .getByRole('button', { name: /^Show / })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Copy / }).waitFor();
    expect((await dialog.locator('code').innerText()).length).toBeGreaterThan(7);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('moving shows its plan before anything happens', async () => {
    const page = await open(`/definitions/${id}?tab=move`);
    await page.getByRole('combobox').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await page.getByRole('heading', { name: 'Plan' }).or(page.getByRole('alert')).first().waitFor();
    await expectAccessible(page);
  });
});

describe('deployments', () => {
  test('show their log, and a running one can be cancelled', async () => {
    const { deploymentId } = await beginDeployment(service, beech, 'memos', 'letters');
    const page = await open('/deployments');
    const row = page.getByRole('row', { name: /letters/ });
    await row.getByText('Running').waitFor();
    await row.getByRole('button', { name: 'Log' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('log')).toBe(deploymentId);
    await page.getByRole('log').getByText('Wait until healthy').waitFor();
    await row.getByRole('button', { name: 'Cancel' }).click();
    await row.getByText('Cancelling').waitFor();
    await expectAccessible(page);
  });

  test('rolling back asks for the name, and offers to return the data', async () => {
    const page = await open('/deployments?status=success');
    await page.getByRole('row', { name: /blog/ }).first().getByRole('button', { name: 'Roll back…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back blog' });
    expect(await dialog.getByRole('button', { name: 'Roll back blog' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Return the data as well').check();
    await dialog.getByText(/the present data is backed up first/).waitFor();
    await dialog.getByLabel('Type blog to confirm').fill('blog');
    await dialog.getByRole('button', { name: 'Roll back blog' }).click();
    // There is nothing before the first deployment, and the service says so.
    await dialog.locator('.help.bad').waitFor();
  });

  test('a filter is in the URL and explains an empty list', async () => {
    const page = await open('/deployments');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
    await expect.poll(() => new URL(page.url()).searchParams.get('status')).toBe('failed');
  });
});
