import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, deployWhole } from '@hortus/testkit/reported-servers';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser, openPage, signIn } from '../console/browser.ts';
import { type ServiceProcess, startService } from '../service-process.ts';
import { builtPackages } from './built-packages.ts';
import { installInEmptyFolder, type Project } from './empty-folder.ts';

const email = 'mira@example.org';
const password = 'a password for the tests';

let service: ServiceProcess;
let project: Project;
let session: PageSession;
const browser = await openBrowser();
beforeAll(async () => {
  project = await installInEmptyFolder((await builtPackages()).client);
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  service = await startService({ directory: folder.path, env: { HORTUS_ADMIN_EMAIL: email } });
  afterAll(() => service.process.stop());
  session = await signIn(service, email, password);
}, 180_000);

/** Opens the page of the README at the address of the service, as a reverse proxy would serve it there. */
async function openExample(): Promise<Page> {
  const page = await openPage(browser, service, { session });
  const readme = readFileSync(join(import.meta.dirname, '../../packages/client/README.md'), 'utf8');
  const html = /^```html\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? '';
  await page.route('**/example.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>Example</title><body>${html}` }),
  );
  await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
  await page.route('**/node_modules/**', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: readFileSync(join(project.path, new URL(route.request().url()).pathname), 'utf8'),
    }),
  );
  await page.goto('/example.html');
  return page;
}

it('the example for browsers uses the session of the signed-in user', async () => {
  const page = await openExample();
  await page.getByText(`Signed in as ${email}`).waitFor();
});

it('pages, streams, waiting, problems and webhooks work in a browser', async () => {
  const server = await addServer(service, 'beech');
  await deployWhole(service, server, 'uptime-kuma', 'status');
  const page = await openExample();
  expect(await page.evaluate(USE)).toEqual({
    names: ['beech'],
    streamed: ['deployment.started', 'deployment.success'],
    ended: 'success',
    problem: ['NOT_FOUND', 404],
    webhook: [undefined, 'deployment.success'],
  });
});

/** In the page, whose types Node does not know. */
const USE = `(async () => {
  const { ApiProblem, createClient, readWebhook, waitForEnd } = await import('/node_modules/@hortus/client/index.js');
  const client = createClient({ baseUrl: '/api/v1' });
  const names = [];
  for await (const { name } of client.pages('servers.list')) names.push(name);

  const streamed = [];
  let deployment;
  for await (const { event, data } of client.stream('events.list', { query: { type: 'deployment.*', after: 0 } })) {
    if (event === 'change') streamed.push(data.type);
    deployment = data.resource_id;
    if (data.type === 'deployment.success') break;
  }
  const { data: ended } = await waitForEnd(client, 'deployments.read', deployment);
  const problem = await client.call('servers.read', { params: { id: 'srv_unknown' } }).catch((error) => error);
  if (!(problem instanceof ApiProblem)) throw problem;

  const secret = 'a long random string';
  const body = JSON.stringify({ id: 'evt_1', type: 'deployment.success' });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const bytes = (text) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, bytes(['evt_1', timestamp, body].join('.')));
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': 'v1,' + btoa(String.fromCharCode(...new Uint8Array(signature))),
  };
  const webhook = [await readWebhook({ headers, body, secret: 'other' }), (await readWebhook({ headers, body, secret })).type];
  return { names, streamed, ended: ended.status, problem: [problem.code, problem.status], webhook };
})()`;
