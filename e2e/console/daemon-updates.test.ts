import { writeAgent } from '@hortus/testkit/agent-folder';
import type { PageSession } from '@hortus/testkit/page-session';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { UpdateDaemon } from '@hortus/testkit/update-daemon';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { openBrowser, openPage, signIn } from './browser.ts';
import { email, password, startConsoleService } from './console-service.ts';
import { expectGoodAppearances } from './looks.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;

beforeAll(async () => {
  const agents = temporaryFolder();
  afterAll(() => agents.remove());
  const env = { HORTUS_AGENTS_DIR: await writeAgent(agents.path) };
  [browser, service] = await Promise.all([openBrowser(), startConsoleService(env)]);
  session = await signIn(service, email, password);
});

test('a person updates daemons in stages, reads why they are halted, continues, and sees them done', async () => {
  const berlin = { labels: { site: 'berlin' } };
  const [dev, web, shop] = [
    await UpdateDaemon.connected(service, 'dev', { ...berlin, environment: 'development' }),
    await UpdateDaemon.connected(service, 'web', berlin),
    await UpdateDaemon.connected(service, 'shop', { ...berlin, environment: 'production' }),
  ];
  await UpdateDaemon.connected(service, 'paris', { version: '1.2.3', labels: { site: 'paris' } });
  const page = await openPage(browser, service, { session });
  await page.goto('/servers');
  await page.getByText('Newer daemon available: 1.2.3 for 3 servers.').waitFor();
  await expectGoodAppearances(page, 'servers-newer-daemon');
  await page.getByRole('button', { name: 'Update daemons…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Update daemons' });
  await dialog.getByLabel('Servers').selectOption({ label: 'Servers with site=berlin' });
  await dialog.getByLabel('Stages').selectOption({ label: 'One server, then all' });
  await expectGoodAppearances(page, 'daemon-update-dialog');
  await dialog.getByRole('button', { name: 'Update daemons' }).click();

  await page.getByRole('heading', { name: 'Daemons to 1.2.3' }).waitFor();
  const first = page.getByRole('table', { name: 'Servers of stage 1' });
  await dev.report('downloading');
  await first.getByText('Downloading').waitFor();
  await dev.report('trying');
  await first.getByText('Trying').waitFor();
  await expectGoodAppearances(page, 'daemon-update-running');
  await dev.report('returned', { reason: 'unhealthy', message: 'The new <b>daemon</b> did not connect.' });
  await page.getByRole('alert').getByText('The rest is halted.').waitFor();
  await first.getByText('The new <b>daemon</b> did not connect.').waitFor();
  expect([web.orders, shop.orders]).toEqual([[], []]);
  await expectGoodAppearances(page, 'daemon-update-halted');

  await page.getByRole('button', { name: 'Continue…' }).click();
  await page.getByRole('button', { name: 'Continue the update' }).click();
  await web.succeed();
  await shop.succeed();
  await page.locator('#page').getByText('Completed', { exact: true }).waitFor();
  await page.getByText('2 of 3 done, 1 failed').waitFor();
  await page.getByRole('link', { name: 'Updates of daemons' }).click();
  await page.getByRole('link', { name: 'Daemons to 1.2.3' }).waitFor();
  await expectGoodAppearances(page, 'daemon-updates');

  // The one that failed is updated again, from its own page, and cancelled before it began.
  await dev.disconnect();
  await page.goto(`/servers/${dev.serverId}`);
  await page.getByText('1.0.0, 1.2.3 available').waitFor();
  await page.getByRole('button', { name: 'More for dev' }).click();
  await page.getByRole('menuitem', { name: 'Update daemon…' }).click();
  await page.getByRole('button', { name: 'Update 1 daemon' }).click();
  await page.getByRole('table', { name: 'Servers of stage 1' }).getByText('Queued').waitFor();
  await page.getByRole('button', { name: 'Cancel update…' }).click();
  await page.getByRole('button', { name: 'Cancel the update', exact: true }).click();
  await page.getByRole('table', { name: 'Servers of stage 1' }).getByText('Cancelled').waitFor();
  // Before the service stops: a page left open would ask it, be refused, and log that as an error.
  await page.context().close();
  await Promise.all([web, shop].map((daemon) => daemon.disconnect()));
});
