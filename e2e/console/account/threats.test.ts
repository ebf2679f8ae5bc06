import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { browserState, type PageSession, pageHeaders } from '@hortus/testkit/page-session';
import { startReceiver } from '@hortus/testkit/receiver';
import { addServer } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { openBrowser, openPage } from '../browser.ts';
import { openConsole } from '../console-service.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
});

const addWebhook = async (url: string) => {
  const body = { url, events: ['action.failed' as const], secret: 'a secret of thirty characters.' };
  return (await service.client.call('webhooks.create', { body })).data.id;
};

describe('a page of another site', () => {
  /** Serves a page that posts JSON as plain text, which needs no preflight, then sends a form that navigates. */
  const serveAttack = async (target: string): Promise<number> => {
    const html = `<form id=f method=post action="${target}" enctype="text/plain"><input name='{"name":"taken","x":"' value='"}'></form>
      <script>
        const send = (method) => fetch('${target}', {method, mode: 'no-cors', credentials: 'include', body: '{"name":"taken"}'}).catch(() => {});
        send('POST').then(() => fetch('${target}', {method: 'PATCH', credentials: 'include', body: '{"name":"taken"}'})).catch(() => {}).finally(() => f.submit());
      </script>`;
    const evil = createServer((_, response) => void response.setHeader('content-type', 'text/html').end(html));
    await new Promise<void>((done) => evil.listen(0, '127.0.0.1', done));
    onTestFinished(() => void evil.close());
    return (evil.address() as AddressInfo).port;
  };

  test('cannot make the browser of an owner send a webhook test, change a profile or create a key', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const webhook = await addWebhook(receiver.url);
    const profile = async () =>
      await (await fetch(`${service.base}/account`, { headers: pageHeaders(session, service.root) })).text();
    const before = [await profile(), (await service.client.call('keys.list', {})).pagination.total];
    for (const path of [`/webhooks/endpoints/${webhook}/test`, '/account/profile', '/account/keys']) {
      const port = await serveAttack(service.base + path);
      // Another port is the same site for SameSite, another name is not: both must fail.
      for (const host of ['127.0.0.1', 'localhost']) {
        const context = await browser.newContext({ storageState: browserState(session, service.root) });
        onTestFinished(() => context.close());
        const page = await context.newPage();
        const posted = page.waitForResponse(
          (response) => response.request().isNavigationRequest() && response.url() === service.base + path,
        );
        await page.goto(`http://${host}:${port}`);
        expect((await posted).status(), `${host} ${path}`).toBeGreaterThanOrEqual(400);
      }
    }
    expect([await profile(), (await service.client.call('keys.list', {})).pagination.total]).toEqual(before);
    expect(receiver.requests).toEqual([]);
  });
});

describe('a person who may only read', () => {
  /** Actions of these pages; a label ending in … opens a form. */
  const changes =
    /^(Register|Add|Create|Drain|Prune|Rotate|Remove|Delete|Edit|Send|Pause|Resume|Suspend|Migrate|Apply|Not now|Scan|Look for|Submit|Approve|Reject|Upvote|Invite|Revoke|Save|Change|More for|Mute|Acknowledge)/;

  const withReadsOnly = async (page: Page): Promise<void> => {
    await page.route('**/api/v1/account', async (route) => {
      const response = await route.fetch();
      const reply = (await response.json()) as { data: { permissions: string[] } };
      const { permissionNames } = await import('@hortus/contract/permissions');
      reply.data.permissions = permissionNames.filter((name) => name.endsWith(':read'));
      await route.fulfill({ response, json: reply });
    });
  };

  test('finds no button that changes something, on any page of this part', async () => {
    const bed = await addServer(service, 'beech');
    const webhook = await addWebhook('http://127.0.0.1:9/hook');
    const { data: tenant } = await service.client.call('tenants.create', {
      body: { name: 'Rose Nursery', slug: 'rose-nursery', server_id: bed.id },
    });
    await service.client.call('keys.create', { body: { name: 'ci', permissions: ['servers:read'], expires_at: null } });
    const paths = [
      '/settings/keys',
      '/settings/members',
      '/servers',
      `/servers/${bed.id}`,
      '/servers?new=server',
      '/webhooks',
      `/webhooks/${webhook}`,
      '/webhooks?new=webhook',
      '/connections',
      '/connections?new=connection',
      '/notifications',
      '/notifications/channels',
      '/notifications/rules',
      '/tenants',
      `/tenants/${tenant.id}`,
      '/upgrades',
      '/recipes',
      '/recipes/mine',
    ];
    const page = await openPage(browser, service, { session });
    await withReadsOnly(page);
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
      const names = await page.getByRole('main').getByRole('button').allInnerTexts();
      expect(
        names.filter((name) => changes.test(name.trim())),
        path,
      ).toEqual([]);
      expect(await page.getByRole('dialog').count(), `${path} opens a form`).toBe(0);
    }
  });
});

describe('the response of a webhook receiver', () => {
  test('with markup, scripts and control characters stays text in the page', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const reply = '<img src=x onerror=alert(1)><script>alert(2)</script>\u001b]0;owned\u0007\0</pre></section>';
    receiver.respond({ status: 200, headers: { 'content-type': 'text/html' }, body: reply });
    const id = await addWebhook(receiver.url);
    await service.client.call('webhooks.update', { params: { id }, body: { events: ['definition.created'] } });
    const bed = await addServer(service, 'oak');
    await service.client.call('definitions.create', {
      body: {
        species: 'memos',
        instance_uid: 'notes',
        server_id: bed.id,
        inputs: { WEB_HOSTNAME: 'notes.example.org' },
      },
    });
    const delivered = async () =>
      (await service.client.call('webhooks.deliveries', { params: { id }, query: { status: 'delivered' } })).data[0]
        ?.id;
    await expect.poll(delivered, { timeout: 30_000 }).toBeDefined();
    const page = await openPage(browser, service, { session });
    await page.goto(`/webhooks/${id}?delivery=${await delivered()}`);
    const response = page.getByRole('region', { name: 'Answer' });
    await response.getByText('<img src=x onerror=alert(1)><script>alert(2)</script>').waitFor();
    expect(await response.locator('img, script').count()).toBe(0);
    expect(await page.title()).toContain('Hortus');
  });
});
