import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { startDocker } from '@hortus/testkit/docker';
import { sharedBusyboxImage } from '@hortus/testkit/images';
import { freePort } from '@hortus/testkit/port';
import { startProcess } from '@hortus/testkit/process';
import { daemonMain } from '@hortus/testkit/programs';
import { startReceiver } from '@hortus/testkit/receiver';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { endCaddy, inside } from '../docker/installation.ts';
import { PAGE_IMAGE } from '../docker/test-species.ts';
import { inviteReed, joinAsReed } from './account/people.ts';
import { openBrowser, openPage } from './browser.ts';
import { startConsoleService } from './console-service.ts';
import { replaceEditorText, templateEditor } from './template-editor.ts';

/** A page with a volume; its health check can be pointed at a path that does not exist. */
const notice = (version: string) => `slug: notice-board
name: Notice board
description: A page with a volume.
version: ${version}
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: 1.0.0}
inputs:
  required: [{name: WEB_HOSTNAME, type: domain}]
  optional:
    - {name: GREETING, type: text, default: hello}
    - {name: HEALTH_PATH, type: string, default: /}
env: {VERSION: "${version}"}
command: [httpd, -f, -p, "8080", -h, /www]
stop_signal: SIGKILL
files: [{mount_path: /www/index.html, mode: "0644", content: "\${inputs.GREETING}"}]
storage: [{name: data, mount_path: /data, critical: true}]
routes: [{name: web, port: 8080, host: "\${inputs.WEB_HOSTNAME}", path: /, tls: off, primary: true}]
healthcheck: {http: {port: 8080, path: "\${inputs.HEALTH_PATH}"}, interval: 200ms, timeout: 1s, retries: 3, start_period: 2s}
deadline: 60s
backup: {strategy: volume, volumes: [{name: data, critical: true}]}
`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});

/** A Docker engine and the ports of an ingress, for a daemon that the console tells how to start. */
async function openMachine(folder: string, name: string) {
  const docker = await startDocker();
  await sharedBusyboxImage(docker.socketPath, `${PAGE_IMAGE}:1.0.0`);
  const [http, https] = [await freePort(), await freePort()];
  const state = join(folder, name);
  return {
    name,
    http,
    state,
    engine: openDockerEngine({ socketPath: docker.socketPath }),
    docker,
    options: [
      ...['--state-dir', state, '--docker-socket', docker.socketPath],
      ...['--ingress-http', String(http), '--ingress-https', String(https)],
    ],
  };
}
type Machine = Awaited<ReturnType<typeof openMachine>>;

/** Registers a machine as the console says, and starts its daemon with the line that it shows. */
async function register(page: Page, machine: Machine) {
  await page.goto('/servers');
  await page.getByRole('button', { name: 'Register a server…' }).first().click();
  await page.getByLabel('Name').fill(machine.name);
  await page.getByRole('button', { name: 'Register and show the line' }).click();
  const dialog = page.getByRole('dialog', { name: `Connect ${machine.name}` });
  await dialog.getByRole('button', { name: 'Copy line' }).waitFor();
  const line = await dialog.locator('code').first().innerText();
  const key = /HORTUSD_KEY=(\S+)/.exec(line)?.[1] ?? '';
  // The service has no binary to offer, so the line is for an installed daemon; here it runs from the sources, with the same options.
  const [, reported = ''] = /hortusd install (.+)$/.exec(line) ?? [];
  await dialog.getByText(/Waiting for it/).waitFor();
  const daemon = startProcess([process.execPath, daemonMain, 'run', ...reported.split(' '), ...machine.options], {
    env: { HORTUSD_KEY: key },
  });
  onTestFinished(async () => {
    await daemon.stop();
    endCaddy(machine.state);
    machine.engine.close();
    await machine.docker[Symbol.asyncDispose]();
  });
  await dialog.getByText('Connected').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
}

/** What the ingress of a machine answers under a host name. */
const pageOf = ({ http: port }: Machine, host: string): Promise<string> =>
  new Promise((done, fail) => {
    const request = get({ host: '127.0.0.1', port, headers: { host }, agent: false });
    request.on('error', fail).on('response', (response) => {
      text(response).then(done, fail);
    });
  });

test('a person goes from the first start to a server, a page, its care, its move, and a colleague', {
  timeout: 600_000,
}, async () => {
  const folder = temporaryFolder('journey');
  onTestFinished(() => folder.remove());
  const [service, here, there] = await Promise.all([
    startConsoleService({
      HORTUS_ADMIN_PASSWORD: '',
      HORTUS_MIGRATION_GRACE_MINUTES: '0',
      HORTUS_AGENTS_DIR: folder.path,
    }),
    openMachine(folder.path, 'beech'),
    openMachine(folder.path, 'rowan'),
  ]);
  const page = await openPage(browser, service);
  page.setDefaultTimeout(120_000);

  // The first start.
  await page.goto(`/welcome#${(await service.process.waitForLine(/\/welcome#/)).split('#')[1]}`);
  await page.getByLabel('Your name').fill('Mira Aalto');
  await page.getByLabel('Email').fill('mira@example.org');
  await page.getByLabel('Password').fill('a password of mira');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('heading', { name: 'A garden with nothing in it yet.' }).waitFor();

  // Two servers, each started with the line that the console shows.
  await register(page, here);
  await register(page, there);

  // A receiver of events.
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  await page.goto('/webhooks');
  await page.getByRole('button', { name: 'Add a webhook…' }).first().click();
  const hook = page.getByRole('dialog', { name: 'Add a webhook' });
  await hook.getByLabel('Address').fill(`${receiver.url}/hook`);
  await hook.getByLabel('deployment.success').check();
  await hook.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();

  // A template of the account, its deployment, and the page that it serves.
  await publish(page, '1.0.0');
  await page.goto('/tenants');
  await page.getByRole('button', { name: 'Create a tenant…' }).first().click();
  const tenant = page.getByRole('dialog', { name: 'Create a tenant' });
  await tenant.getByLabel('Name', { exact: true }).fill('Rose Nursery');
  await tenant.getByLabel('Server').selectOption({ label: 'beech, online' });
  await tenant.getByRole('button', { name: 'Create tenant' }).click();
  await page.getByRole('heading', { level: 1, name: /Rose Nursery/ }).waitFor();
  await page.goto('/catalog/notice-board');
  const form = page.getByRole('form', { name: 'Deploy' });
  await form.getByLabel('WEB_HOSTNAME').fill('notices.localhost');
  await form.getByLabel('Tenant').selectOption({ label: 'Rose Nursery' });
  await page.getByRole('button', { name: 'Deploy notices' }).click();
  await page.getByText('Revision 1 answers here.').waitFor();
  expect(await pageOf(here, 'notices.localhost')).toBe('hello');
  await receiver.waitFor(({ json }) => (json as { type: string }).type === 'deployment.success');

  // A change, and a change that breaks it.
  await change(page, 'GREETING', 'good morning');
  await page.getByText('Revision 2 answers here.').waitFor();
  expect(await pageOf(here, 'notices.localhost')).toBe('good morning');
  await change(page, 'HEALTH_PATH', '/missing');
  await page.getByRole('alert').getByRole('heading', { level: 2 }).waitFor();
  expect(await pageOf(here, 'notices.localhost')).toBe('good morning');

  // Back to the first revision.
  await page.goto('/deployments?status=success');
  await page
    .getByRole('row', { name: /notices/ })
    .first()
    .getByRole('button', { name: 'Roll back…' })
    .click();
  const back = page.getByRole('dialog', { name: 'Roll back notices' });
  await back.getByLabel('Type notices to confirm').fill('notices');
  await back.getByRole('button', { name: 'Roll back notices' }).click();
  await expect.poll(() => pageOf(here, 'notices.localhost'), { timeout: 120_000 }).toBe('hello');

  // A newer version.
  await publish(page, '1.1.0');
  await page.goto('/upgrades');
  await page.getByRole('button', { name: 'Look for upgrades' }).click();
  await page.getByRole('link', { name: 'notices' }).click();
  await page.getByRole('button', { name: 'Apply…' }).click();
  await page
    .getByRole('dialog', { name: 'Upgrade notices to 1.1.0' })
    .getByRole('button', { name: 'Upgrade notices' })
    .click();
  // A definition is watched for a minute before its upgrade counts.
  await page.getByText('Applied', { exact: true }).first().waitFor({ timeout: 180_000 });
  expect(await inside(here.engine, 'notices', 'sh', '-c', 'echo $VERSION')).toBe('1.1.0\n');

  // To the other server, with its data.
  await inside(here.engine, 'notices', 'sh', '-c', 'echo kept > /data/lines');
  await page.goto('/tenants');
  await page.getByRole('link', { name: 'Rose Nursery' }).click();
  await page.getByRole('button', { name: 'Migrate…' }).click();
  const move = page.getByRole('dialog', { name: 'Migrate Rose Nursery' });
  await move.getByLabel('To').selectOption({ label: 'rowan, online' });
  await move.getByRole('button', { name: 'Show the plan' }).click();
  await move.getByText('1 definition would move').waitFor();
  await move.getByRole('button', { name: 'Move Rose Nursery to rowan' }).click();
  await page.getByText('Completed').first().waitFor();
  expect(await inside(there.engine, 'notices', 'cat', '/data/lines')).toBe('kept\n');
  await expect.poll(() => pageOf(there, 'notices.localhost'), { timeout: 60_000 }).toBe('hello');

  // A colleague with smaller rights.
  await page.goto('/settings/members');
  const link = await inviteReed(page);
  await joinAsReed(browser, service, link);
});

/** Writes a version of the template in the editor, and publishes it. */
async function publish(page: Page, version: string): Promise<void> {
  await page.goto('/templates/new');
  await replaceEditorText(templateEditor(page), notice(version));
  await page.getByRole('region', { name: 'Findings' }).getByText('No findings').waitFor();
  await page.getByRole('button', { name: 'Keep as a draft' }).click();
  await page.getByRole('button', { name: 'Validate' }).click();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('link', { name: 'Open in the catalog' }).waitFor();
}

/** Changes one setting of the definition and deploys it. */
async function change(page: Page, input: string, value: string): Promise<void> {
  await page.goto('/definitions');
  await page.getByRole('link', { name: 'notices' }).click();
  await page.getByLabel(new RegExp(input)).fill(value);
  await page.getByRole('button', { name: /^Save as revision/ }).click();
  await page
    .getByRole('button', { name: /^Deploy/ })
    .first()
    .click();
}
