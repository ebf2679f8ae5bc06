import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { browserState, type PageSession } from '@hortus/testkit/page-session';
import { addServer, deployWhole } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, openBrowser, openPage } from './browser.ts';
import { openConsole } from './console-service.ts';
import { keepPolling } from './polling-servers.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let id: string;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  const beech = await addServer(service, 'beech');
  keepPolling(beech);
  await deployWhole(service, beech, 'memos', 'journal');
  const { data } = await service.client.call('instances.list', {});
  id = data[0]?.id ?? '';
});

/** Answers as a service whose daemon echoes what is typed and ends at `q`; its connection breaks at `x`. */
async function withEcho(page: Page, greeting: string): Promise<string[]> {
  const said: string[] = [];
  await page.route('**/api/v1/instances/*/shells', (route) =>
    route.fulfill({ status: 201, json: { success: true, data: { id: 'shl_1' } } }),
  );
  await page.routeWebSocket(/\/ws\/shell\?session_id=shl_1$/, (socket) => {
    socket.onMessage((message) => {
      if (typeof message === 'string') {
        said.push(message);
        return;
      }
      socket.send(JSON.stringify({ type: 'ack', bytes: message.length }));
      if (message.toString() === 'x') void socket.close();
      else if (message.toString() === 'q') socket.send(JSON.stringify({ type: 'exit', code: 3 }));
      else socket.send(message);
    });
    socket.send(JSON.stringify({ type: 'started', component: 'app' }));
    socket.send(Buffer.from(greeting));
  });
  return said;
}

const openShell = async (page: Page) => {
  await page.goto(`/instances/${id}?tab=shell`);
  await page.getByRole('button', { name: 'Open a shell' }).click();
  const frame = page.frameLocator('iframe[title=Terminal]');
  await frame.locator('.xterm-rows').waitFor();
  return frame;
};

test('a shell runs in a frame of its own without a refusal by either policy, and says how it ended', async () => {
  const page = await openPage(browser, service, { session });
  const said = await withEcho(page, 'hello from app\r\n$ ');
  const frame = await openShell(page);
  await page.getByText('In app', { exact: true }).waitFor();
  await frame.locator('.xterm-rows').getByText('hello from app').waitFor();
  await frame.locator('.xterm').click();
  await page.keyboard.type('ls -l');
  await frame.locator('.xterm-rows').getByText('ls -l').waitFor();
  expect(said.map((text) => JSON.parse(text).type)).toEqual(expect.arrayContaining(['resize', 'ack']));
  await page.keyboard.type('q');
  await page.getByText('The shell has ended with exit code 3.').waitFor();
  await expectAccessible(page);
});

test('a lost connection says what became of the command, and another shell can be opened', async () => {
  const page = await openPage(browser, service, { session });
  await withEcho(page, '$ ');
  const frame = await openShell(page);
  await page.getByText('In app', { exact: true }).waitFor();
  await frame.locator('.xterm').click();
  await page.keyboard.type('x');
  await page.getByText('The connection was lost, and the shell was ended. Open another one.').waitFor();
  await page.getByRole('button', { name: 'Open another shell' }).waitFor();
});

test('a page of another origin can neither order a shell nor connect to one with the cookie of the console', async () => {
  const outsider = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>hello</p>'));
  await new Promise<void>((done) => outsider.listen(0, '127.0.0.1', done));
  onTestFinished(() => void outsider.close());
  const context = await browser.newContext({ storageState: browserState(session, service.root) });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  // The same site for cookies, because a port is not a part of a site: the cookie is sent.
  await page.goto(`http://127.0.0.1:${(outsider.address() as AddressInfo).port}/`);
  const order = `fetch('${service.base}/instances/${id}/shells', { method: 'POST', body: '{}', mode: 'no-cors', credentials: 'include' })`;
  await page.evaluate(`${order}.catch(() => {})`);
  const socket = `new WebSocket('${service.root.replace('http', 'ws')}/ws/shell?session_id=shl_1')`;
  const received = `new Promise((done) => { const s = ${socket}; s.onopen = () => done('open'); s.onerror = () => done('refused'); })`;
  expect(await page.evaluate(received)).toBe('refused');
  expect((await service.client.call('shells.list', { params: { id } })).data).toEqual([]);
});

test('markup in the output of a shell stays text', async () => {
  const page = await openPage(browser, service, { session });
  await withEcho(page, '<img src=x onerror=alert(1)>');
  const frame = await openShell(page);
  await frame.locator('.xterm-rows').getByText('<img src=x onerror=alert(1)>').waitFor();
  expect(await frame.locator('img').count()).toBe(0);
});

test('nothing is opened because a page was opened, and a refusal says why', async () => {
  const page = await openPage(browser, service, { session });
  await page.goto(`/instances/${id}?tab=shell`);
  await page.getByText('No shell is open.').waitFor();
  expect((await service.client.call('shells.list', { params: { id } })).data).toEqual([]);
  // Its server only polls, so no daemon can run a shell.
  await page.getByRole('button', { name: 'Open a shell' }).click();
  await page.getByRole('alert').waitFor();
});

test('another site cannot show the terminal, and the console shows no other frame', async () => {
  const headers = { accept: 'text/html' };
  const frame = await fetch(`${service.root}/frames/terminal`, { headers });
  expect(frame.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
  const page = await fetch(`${service.root}/instances`, { headers });
  expect(page.headers.get('content-security-policy')).toContain("frame-src 'self'");
});
