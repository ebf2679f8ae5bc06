import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, beginDeployment, type ReportedServer } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, expectStill, openBrowser, openPage, type PageOptions } from './browser.ts';
import { openConsole } from './console-service.ts';
import { expectAccessibleThemes } from './looks.ts';
import { withPermissions } from './permissions.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let beech: ReportedServer;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  beech = await addServer(service, 'beech');
});

const open = async (path: string, options: PageOptions = {}): Promise<Page> => {
  const page = await openPage(browser, service, { session, ...options });
  await page.goto(path);
  return page;
};

/** A deployment that waits until its component is healthy. */
async function rollingOut(name: string, options: PageOptions = {}) {
  const { deploymentId: id, definitionId } = await beginDeployment(service, beech, 'memos', name);
  const page = await open(`/deployments/${id}`, options);
  await page.getByRole('heading', { level: 1, name: `${name}, revision 1` }).waitFor();
  const say = (message: string, level: 'info' | 'warn' | 'error' = 'info') =>
    beech.daemon.call('deployments.status', {
      params: { id },
      body: { status: 'running', logs: [{ at: Date.now(), level, message, step: 'wait_healthy' }] },
    });
  const end = (status: 'success' | 'failed', more: object = {}) =>
    beech.daemon.call('deployments.report', {
      body: {
        deployment_id: id,
        status,
        instance: { definition_id: definitionId, status: 'running', health: 'healthy' },
        ...more,
      } as never,
    });
  return { page, id, say, end };
}

describe('a rollout', () => {
  test('makes sense to a screen reader: a list of steps with their states, one of them current', async () => {
    const { page, end } = await rollingOut('heard');
    const current = page.locator('[aria-current=step]');
    await current.getByText('Wait until healthy').waitFor();
    const tree = await page.getByRole('main').ariaSnapshot();
    expect(tree).toContain('heading "heard, revision 1" [level=1]');
    expect(tree).toMatch(/list "Steps"/);
    expect(tree).toMatch(/Pull image\s*: Done/);
    expect(tree).toMatch(/Wait until healthy\s*: Running/);
    expect(tree).toMatch(/Switch over\s*: Not begun/);
    expect(tree).toMatch(/log "Lines of the log"/);
    const received = page.getByRole('status');
    await received.getByText('Wait until healthy is running, 3 steps are done.').waitFor();
    await end('success');
    await received.getByText('The deployment succeeded.').waitFor();
  });

  test('shows lines as they come, and its end, without a reload', async () => {
    const { page, say, end } = await rollingOut('followed');
    await page.evaluate('globalThis.sameDocument = true');
    await say('memos answers slowly', 'warn');
    const log = page.getByRole('log');
    await log.getByText('memos answers slowly').waitFor();
    await end('success');
    await page.getByText('followed.example.org').first().waitFor();
    expect(await page.evaluate('globalThis.sameDocument')).toBe(true);
  });

  test('names the local images that ran in place of others, and fits a phone with them', async () => {
    const { page, end } = await rollingOut('replaced', { width: 390 });
    const image = `docker.io/neosmemo/memos:0.25.0@sha256:${'a'.repeat(64)}`;
    await end('success', { images: [{ component: 'main', image, digest: null, substitute: 'memos:local' }] });
    await page.getByRole('listitem').getByText(`main: memos:local instead of ${image}`).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  test('markup in a line of the log and in an error stays text', async () => {
    const { page, say, end } = await rollingOut('evil');
    const evil = '<img src=x onerror=alert(1)>';
    await say(evil);
    await page.getByRole('log').getByText(evil).waitFor();
    await end('failed', { error: evil, reason: 'unhealthy', last_lines: [evil] });
    await page.getByRole('alert').getByRole('heading', { name: evil }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });

  test('keeps the search and the filter of its log in the address', async () => {
    const { page, say, end } = await rollingOut('searched');
    await say('one odd thing', 'warn');
    await page.getByRole('button', { name: /^Warnings/ }).click();
    await page.getByRole('log').getByText('one odd thing').waitFor();
    await page.getByLabel('Search the log').fill('nothing like this');
    await page.getByText('No line has this.').waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('level'), searchParams.get('q')]).toEqual(['warn', 'nothing like this']);
    await end('failed', { error: 'over' });
  });

  test('is cancelled by a person who may, and others get neither the button nor the effect', async () => {
    const { page, id, end } = await rollingOut('cancelled');
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    const reader = await openPage(browser, service, { session });
    await withPermissions(reader, ['deployments:read', 'definitions:read', 'servers:read']);
    await reader.goto(`/deployments/${id}`);
    await reader.getByRole('list', { name: 'Steps' }).waitFor();
    expect(await reader.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    const { data } = await service.client.call('keys.create', {
      body: { name: 'reader', permissions: ['deployments:read'] },
    });
    const headers = { authorization: `Bearer ${data.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${service.base}/deployments/${id}/cancel`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(403);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('being cancelled').waitFor();
    await end('failed', { error: 'The deployment was aborted: cancelled', reason: 'cancelled' });
    await page.getByText('It was cancelled.').waitFor();
  });

  test('has no serious accessibility finding in light and dark', async () => {
    const { page, end } = await rollingOut('seen');
    await page.locator('[aria-current=step]').waitFor();
    await expectAccessibleThemes(page);
    await end('failed', { error: 'memos did not become healthy', reason: 'unhealthy', last_lines: ['no database'] });
    await page.getByRole('alert').getByText('no database').waitFor();
    await expectAccessibleThemes(page);
  });

  test('does not move when it arrives', async () => {
    const { id, end } = await rollingOut('still');
    await expectStill(await openPage(browser, service, { session }), `/deployments/${id}`, '[aria-current=step]');
    await end('failed', { error: 'over' });
  });

  test('fits a phone without scrolling sideways', async () => {
    const { page, end } = await rollingOut('small', { width: 390 });
    await page.locator('[aria-current=step]').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await end('failed', { error: 'over' });
  });
});
