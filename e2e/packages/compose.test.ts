import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { makeDebianImages } from '@hortus/testkit/debian-images';
import { type DebianMachine, startDebianMachine } from '@hortus/testkit/debian-machine';
import { DEBIAN_ROOT_MS } from '@hortus/testkit/debian-root';
import { freePort } from '@hortus/testkit/port';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../console/browser.ts';
import { type Engine, loadImage, startEngine } from './docker-engine.ts';
import { guideBlocks, root } from './guide-blocks.ts';

const [start = '', show = ''] = guideBlocks('## With Compose');
const owner = { email: 'mira@example.org', password: 'a password of mira' };
const parent = temporaryFolder('compose');
// Compose names an installation by its folder.
const folder = join(parent.path, 'hortus');
let engine: Engine;
/** A freshly installed Debian that drives the engine. */
let machine: DebianMachine;
let browser: Browser;
let env: Record<string, string>;
let url: string;

/** Runs a documented command on the fresh Debian, with its Compose 1.29, which is a program of its own. */
async function compose(block: string): Promise<string> {
  const script = block.replaceAll('docker compose', 'docker-compose');
  const said = await machine.run(`cd /root/hortus\nset -e\n${script}`, env);
  if (said.code !== 0) expect.fail(`${script}\n${said.stdout}${said.stderr}`);
  return said.stdout + said.stderr;
}

beforeAll(async () => {
  engine = await startEngine();
  await mkdir(folder);
  await copyFile(join(root, 'deploy/compose.yaml'), join(folder, 'compose.yaml'));
  const file = await readFile(join(folder, 'compose.yaml'), 'utf8');
  const published = [...file.matchAll(/image: (docker\.io\/\S+)/g)].map(([, name]) => name as string);
  // Stand-ins from Debian's packages: no image can be fetched here.
  expect(await makeDebianImages(engine.socketPath, published)).toEqual([]);
  await loadImage(engine);
  const [http, https] = [await freePort(), await freePort()];
  env = { HORTUS_HTTP_PORT: String(http), HORTUS_HTTPS_PORT: String(https) };
  url = `https://localhost:${https}`;
  browser = await openBrowser();
  machine = await startDebianMachine({
    socketPath: engine.socketPath,
    mounts: { '/run/docker.sock': engine.socketPath, '/root/hortus': folder },
  });
  await compose(start);
}, DEBIAN_ROOT_MS);
afterAll(async () => {
  await engine?.stop();
  await parent.remove();
});

/** Sends a request through Caddy, whose certificate authority is new. */
const status = (path: string, body?: object) =>
  new Promise<number>((done, fail) => {
    const headers = { 'content-type': 'application/json', origin: url };
    const sent = request(`${url}${path}`, { method: body ? 'POST' : 'GET', headers, rejectUnauthorized: false });
    sent.on('error', fail).on('response', (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    });
    sent.end(body && JSON.stringify(body));
  });
const responds = () =>
  until(async () => (await status('/ready').catch(() => 0)) === 200, { within: 120_000, describe: 'an answer' });
const login = () => status('/api/v1/account/login', owner);
const secret = (path: string) =>
  engine.docker('exec', 'hortus_hortus_1', '/usr/bin/node', '-p', `fs.readFileSync('${path}', 'utf8')`);

test('one command starts service, database and proxy, and a person signs in through the proxy', async () => {
  await responds();
  for (const name of ['database', 'hortus', 'caddy']) await engine.healthy(`hortus_${name}_1`);
  const shown = await compose(show);
  const link = new RegExp(`${url}/welcome#\\S+`).exec(shown)?.[0];
  expect(link, shown).toBeDefined();
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(link as string);
  await page.getByLabel('Your name').fill('Mira Aalto');
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('heading', { name: 'A garden with nothing in it yet.' }).waitFor();
  expect((await context.cookies())[0]).toMatchObject({ name: expect.stringMatching(/^__Host-/), secure: true });
  await context.close();
}, 300_000);

test('plain HTTP leads to the address with TLS', async () => {
  const response = await fetch(`http://localhost:${env.HORTUS_HTTP_PORT}/`, { redirect: 'manual' });
  expect([301, 308]).toContain(response.status);
  expect(response.headers.get('location')).toBe(`${url}/`);
});

test('every container runs read-only and without capabilities, and only the proxy has ports', async () => {
  for (const name of ['database', 'hortus', 'caddy']) {
    const [about] = JSON.parse(await engine.docker('inspect', `hortus_${name}_1`));
    expect(about.HostConfig, name).toMatchObject({
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      CapAdd: name === 'caddy' ? ['NET_BIND_SERVICE'] : null,
      SecurityOpt: ['no-new-privileges:true'],
    });
    expect(Object.keys(about.HostConfig.PortBindings ?? {}).length > 0, name).toBe(name === 'caddy');
  }
});

test('a stolen password of the service gives no rights on the database server', async () => {
  const rights =
    "select rolsuper or rolcreatedb or rolcreaterole or rolreplication from pg_roles where rolname = 'hortus'";
  const psql = ['psql', '--no-psqlrc', '--tuples-only', '--no-align', '--username=postgres'];
  expect((await engine.docker('exec', 'hortus_database_1', ...psql, '--command', rights)).trim()).toBe('f');
});

test('generated secrets are in no environment and no log, and stay the same', async () => {
  const path = '/var/lib/hortus/secrets/master-key';
  const [key, address] = [await secret(path), await secret('/var/lib/hortus/secrets/database-url')];
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  const password = new URL(address).password;
  expect(password).toMatch(/^[0-9a-f]{48}$/);
  const seen = [await compose('docker-compose logs'), await engine.docker('inspect', ...(await containers()))].join();
  for (const text of [key, password]) expect(seen).not.toContain(text);

  // The file is given again, as an update does, after everything but the volumes was removed.
  expect(await login()).toBe(200);
  await compose('docker-compose down');
  await compose(start);
  await responds();
  expect(await secret(path)).toBe(key);
  expect(await login()).toBe(200);
  expect(await compose(show)).not.toContain('/welcome#');
}, 240_000);

const containers = async () => (await engine.docker('ps', '--all', '--quiet')).split('\n');

test('the data survives a restart of all containers', async () => {
  await compose('docker-compose restart');
  await until(async () => (await login().catch(() => 0)) === 200, { within: 120_000, describe: 'a login' });
}, 240_000);

test.each(['compose.yaml', 'replicas/compose.yaml'])('%s names the version of this release', async (name) => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const file = await readFile(join(root, 'deploy', name), 'utf8');
  expect(new Set([...file.matchAll(/image: (hortus:\S+)/g)].map(([, image]) => image))).toEqual(
    new Set([`hortus:${version}`]),
  );
});
