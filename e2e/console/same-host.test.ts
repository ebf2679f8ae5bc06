import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageTokenHeader, pageTokenProtocol } from '@hortus/contract/protocol/page-token';
import { addServer, deployWhole } from '@hortus/testkit/reported-servers';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import type { ServiceProcess } from '../service-process.ts';
import { fetchInPage, openBrowser, openPage } from './browser.ts';
import { email, password, startConsoleService } from './console-service.ts';

let browser: Browser;
let service: ServiceProcess;
let instance: string;
beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startConsoleService()]);
  await deployWhole(service, await addServer(service, 'beech'), 'memos', 'journal');
  instance = (await service.client.call('instances.list', {})).data[0]?.id ?? '';
});

const keys = async () => (await service.client.call('keys.list', {})).pagination.total;
const shells = async () => (await service.client.call('shells.list', { params: { id: instance } })).pagination.total;

/** Signs in as a person does. */
async function signedIn(): Promise<Page> {
  const page = await openPage(browser, service);
  await page.goto('/');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await isShown(page);
  return page;
}

const isShown = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByText(email).waitFor();

/** An application on another port of the host of the console; it keeps the headers of every request. */
async function startNeighbour(): Promise<{ url: string; received: IncomingHttpHeaders[] }> {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    received.push(headers);
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>An application</title>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Opens the application beside the console, in the same browser. */
async function openNeighbour(context: BrowserContext): Promise<{ page: Page; stolen: string }> {
  const { url, received } = await startNeighbour();
  const page = await context.newPage();
  await page.goto(url);
  const stolen = received.map(({ cookie }) => cookie).find((cookie) => cookie?.includes('hortus_session'));
  return { page, stolen: stolen ?? '' };
}

/** What an attacker's program tries with a cookie: it can send any header, also those that browsers do not let pages set. */
const disguises = (): Record<string, Record<string, string>> => ({
  'a program': {},
  'a page of the console': { origin: service.root, 'sec-fetch-site': 'same-origin', referer: `${service.root}/` },
  'a page with a guessed token': { origin: service.root, [pageTokenHeader]: `hpt_${'a'.repeat(43)}` },
});

const shellStatus = (headers: Record<string, string>, protocols: string[] = []): Promise<number> =>
  new Promise((done) => {
    const address = `${service.root.replace('http', 'ws')}/ws/shell?session_id=shl_1`;
    const socket = new WebSocket(address, protocols, { headers });
    socket.on('error', () => {});
    socket.on('unexpected-response', (_, response) => {
      done(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('open', () => done(101));
  });

describe('an application on another port of the host of the console', () => {
  test('receives the cookie of the session, and can read, change and open nothing with it', async () => {
    const owner = await signedIn();
    const { stolen } = await openNeighbour(owner.context());
    // Otherwise the rest of this test shows nothing.
    expect(stolen).toContain('hortus_session=');
    const before = [await keys(), await shells()];
    for (const [who, headers] of Object.entries(disguises())) {
      const send = async (method: string, path: string, body?: object, accept = 'application/json') => {
        const response = await fetch(`${service.base}${path}`, {
          method,
          headers: { ...headers, cookie: stolen, accept, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        const { error } = (await response.json()) as { error?: { details?: { reason?: string } } };
        return [response.status, error?.details?.reason];
      };
      const refused = [401, 'page_token'];
      expect(await send('GET', '/account'), who).toEqual(refused);
      expect(await send('GET', '/events', undefined, 'text/event-stream'), who).toEqual(refused);
      expect(await send('POST', '/account/keys', { name: 'stolen', permissions: ['servers:read'] }), who).toEqual(
        refused,
      );
      expect(await send('POST', `/instances/${instance}/shells`, {}), who).toEqual(refused);
      expect(await send('POST', '/account/logout'), who).toEqual(refused);
      expect(await shellStatus({ ...headers, cookie: stolen }), who).toBe(401);
      expect(await shellStatus({ ...headers, cookie: stolen }, [`${pageTokenProtocol}hpt_x`]), who).toBe(401);
    }
    expect([await keys(), await shells()]).toEqual(before);
    // The person notices nothing.
    expect(await fetchInPage(owner, '/api/v1/account')).toBe(200);
  });

  test('cannot use the browser of the person, nor read the other half there', async () => {
    const owner = await signedIn();
    const { page } = await openNeighbour(owner.context());
    const before = [await keys(), await shells()];
    expect(await page.evaluate(`localStorage.getItem('${pageTokenHeader}')`)).toBeNull();
    const attempts = (await page.evaluate(attack(service.root, instance))) as Record<string, string>;
    expect(attempts).toEqual({
      read: 'refused',
      key: 'opaque',
      shell: 'refused',
      socket: 'refused',
    });
    expect([await keys(), await shells()]).toEqual(before);
    expect(await fetchInPage(owner, '/api/v1/account')).toBe(200);
  });

  test('can overwrite the cookie, which ends the session and lends it to no one', async () => {
    const [owner, attacker] = [await signedIn(), await signedIn()];
    await owner.context().addCookies(await attacker.context().cookies());
    await owner.reload();
    await owner.waitForURL('**/sign-in?*');
  });
});

/** In the page of the application, whose types Node does not know. */
const attack = (root: string, id: string) => `(async () => {
  const settled = (promise, kind = () => 'answered') => promise.then(kind, () => 'refused');
  const post = (path, body) => fetch('${root}/api/v1' + path, {
    method: 'POST', mode: 'no-cors', credentials: 'include', body: JSON.stringify(body),
  });
  const socket = (protocols) => new Promise((done, fail) => {
    const s = new WebSocket('${root.replace('http', 'ws')}/ws/shell?session_id=shl_1', protocols);
    s.onopen = done;
    s.onerror = fail;
  });
  return {
    read: await settled(fetch('${root}/api/v1/account', { credentials: 'include' })),
    // Sent, because a page may send forms to any address; its answer cannot be read.
    key: await settled(post('/account/keys', { name: 'x', permissions: ['servers:read'] }), ({ type }) => type),
    shell: await settled(fetch('${root}/api/v1/instances/${id}/shells', {
      method: 'POST', credentials: 'include', headers: { '${pageTokenHeader}': 'hpt_x' },
    })),
    socket: await settled(socket(['hortus.shell', '${pageTokenProtocol}hpt_x'])),
  };
})()`;

describe('the console', () => {
  test('stays signed in after a reload and in a second tab, and signs out in both', async () => {
    const page = await signedIn();
    await page.reload();
    await isShown(page);
    const second = await page.context().newPage();
    await second.goto('/');
    await isShown(second);
    expect(await fetchInPage(second, '/api/v1/account')).toBe(200);
    await page.getByRole('button', { name: 'Theme and account' }).locator('visible=true').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    await second.waitForURL('**/sign-in*');
    expect(await page.evaluate(`localStorage.getItem('${pageTokenHeader}')`)).toBeNull();
  });

  test('asks to sign in again if its half of the session is gone, and then works', async () => {
    const page = await signedIn();
    const second = await page.context().newPage();
    await second.goto('/');
    await isShown(second);
    await page.evaluate('localStorage.clear()');
    await second.waitForURL('**/sign-in?*');
    await page.reload();
    await page.waitForURL('**/sign-in?*');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await isShown(page);
    expect(
      await fetchInPage(page, '/api/v1/account/keys', 'POST', { name: 'ours', permissions: ['servers:read'] }),
    ).toBe(201);
  });
});
