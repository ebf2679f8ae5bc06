import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Client, createClient } from '@hortus/client/client';
import type { NewSession } from '@hortus/contract/resources/sign-in';
import { makeDebianImages } from '@hortus/testkit/debian-images';
import { type DebianMachine, startDebianMachine } from '@hortus/testkit/debian-machine';
import { DEBIAN_ROOT_MS } from '@hortus/testkit/debian-root';
import { pageHeaders, pageSession } from '@hortus/testkit/page-session';
import { freePort } from '@hortus/testkit/port';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, loadImage, startEngine } from './docker-engine.ts';
import { root } from './guide-blocks.ts';
import { makeInstalledDebian } from './installed-debian.ts';

const START = 'docker-compose up --detach --build';
let parent: TemporaryFolder;
let folder: string;
let engine: Engine;
/** A freshly installed Debian that drives the engine. */
let machine: DebianMachine;
let env: Record<string, string>;
let url: string;
let client: Client;

async function compose(script: string): Promise<string> {
  const said = await machine.run(`cd ${folder}\nset -e\n${script}`, env);
  if (said.code !== 0) expect.fail(`${script}\n${said.stdout}${said.stderr}`);
  return said.stdout + said.stderr;
}

const containerOf = (service: string) => `replicas_${service}_1`;

/** Trusts the certificate authority that Caddy has generated. */
async function trustCaddy(): Promise<void> {
  const path = '/data/caddy/pki/authorities/local/root.crt';
  const certificate = await until(() => engine.docker('exec', containerOf('caddy'), 'cat', path), {
    describe: 'the certificate of Caddy',
  });
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
}

/** Signs in with the link that the first start printed, and creates a key. */
async function signIn(): Promise<Client> {
  await until(async () => (await fetch(`${url}/ready`)).ok, { within: 120_000, describe: 'an answer through Caddy' });
  let shown = '';
  // Each replica prints a link; the newest is valid.
  const links = async () => {
    shown = await compose('docker-compose logs hortus-1 hortus-2 hortus-3');
    const found = [...shown.matchAll(/\/welcome#(\S+)/g)].map(([, token]) => token as string);
    return found.length === 3 && found;
  };
  const tokens = await until(links, { within: 120_000, describe: () => `a link of each replica; they wrote ${shown}` });
  const post = (path: string, body: object, headers = {}) =>
    fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, ...headers },
      body: JSON.stringify(body),
    });
  const owner = { name: 'Mira Aalto', email: 'mira@example.org', password: 'a password of mira' };
  const responses = await Promise.all(tokens.map((token) => post('/account/first-run', { token, ...owner })));
  const begun = responses.find(({ ok }) => ok);
  if (begun === undefined) expect.fail(`${shown}\n${await responses[0]?.text()}`);
  const session = pageSession(begun.headers, ((await begun.json()) as { data: NewSession }).data);
  const permissions = ['account:read', 'account:write', 'servers:read'];
  const created = await post('/account/keys', { name: 'test', permissions }, pageHeaders(session, url));
  const { data, error } = JSON.parse(await created.text());
  expect(error).toBeUndefined();
  return createClient({
    baseUrl: `${url}/api/v1`,
    key: data.key,
    // An answer without a database asks for 5 seconds.
    retries: { attempts: 30, baseMs: 100, maxMs: 6_000 },
    timeoutMs: 60_000,
  });
}

/** Creates API keys at the same time, each under a name of its own. */
async function write(prefix: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, number) => `${prefix}-${number}`);
  await Promise.all(names.map((name) => client.call('keys.create', { body: { name, permissions: ['servers:read'] } })));
  return names;
}

async function namesOf(prefix: string): Promise<string[]> {
  const found = await Array.fromAsync(client.pages('keys.list', { query: { per_page: 100 } }));
  return found.map(({ name }) => name).filter((name) => name.startsWith(prefix));
}

const running = async () => (await engine.docker('ps', '--format', '{{.Names}}')).split('\n');

interface Member {
  readonly Member: string;
  readonly Role: string;
  readonly State: string;
}

async function members(): Promise<Member[]> {
  const names = await running();
  const asked = ['database-1', 'database-2', 'database-3'].find((name) => names.includes(containerOf(name))) as string;
  const list = ['patronictl', '--config-file', '/etc/patroni.yaml', 'list', '--format', 'json'];
  return JSON.parse(await engine.docker('exec', containerOf(asked), ...list));
}

async function whole(): Promise<void> {
  let seen: Member[] = [];
  let logs = '';
  const isWhole = async () => {
    seen = await members();
    const roles = seen.filter(({ State }) => /^(running|streaming)$/.test(State)).map(({ Role }) => Role);
    if (roles.toSorted().join() === 'Leader,Replica,Sync Standby') return true;
    logs = await compose('docker-compose ps; docker-compose logs --tail=60 database-1 database-2 database-3');
    return false;
  };
  await until(isWhole, {
    every: 1_000,
    within: 120_000,
    describe: () => `a whole cluster; Patroni reports ${JSON.stringify(seen)}\n${logs}`,
  });
}

/** Kills containers under writes and expects that every write is found once; returns the seconds until the first success. */
async function survives(fault: string, ...services: string[]): Promise<void> {
  const before = await write(`${fault}-before`, 10);
  const during = write(`${fault}-during`, 10);
  await engine.docker('kill', '--signal', 'KILL', ...services.map(containerOf));
  const killed = performance.now();
  const seconds = () => (performance.now() - killed) / 1000;
  const after = Array.from({ length: 5 }, (_, turn) => write(`${fault}-after-${turn}`, 1));
  await Promise.any(after);
  const first = seconds();
  const acknowledged = [...before, ...(await during), ...(await Promise.all(after)).flat()];
  const found = await namesOf(fault);
  const counts = {
    lost: acknowledged.filter((name) => !found.includes(name)).length,
    doubled: found.length - new Set(found).size,
  };
  console.log(
    `${fault}: ${acknowledged.length} acknowledged, ${JSON.stringify(counts)}, first success after ${first.toFixed(1)} s`,
  );
  expect(counts).toEqual({ lost: 0, doubled: 0 });
}

async function startAgain(...services: string[]): Promise<void> {
  await engine.docker('start', ...services.map(containerOf));
}

describe('the Compose file of the replicas', () => {
  beforeAll(async () => {
    parent = temporaryFolder('replicas-compose');
    // Compose names an installation by its folder.
    folder = join(parent.path, 'replicas');
    engine = await startEngine();
    await cp(join(root, 'deploy/replicas'), folder, { recursive: true });
    const file = await readFile(join(folder, 'compose.yaml'), 'utf8');
    const published = [...file.matchAll(/image: (docker\.io\/\S+)/g)].map(([, name]) => name as string);
    // Stand-ins from Debian's packages: no image can be fetched here.
    expect(await makeDebianImages(engine.socketPath, published)).toEqual([]);
    await makeInstalledDebian(engine.socketPath, join(folder, 'database/Dockerfile'), ['postgres', 101]);
    await loadImage(engine);
    const [http, https] = [await freePort(), await freePort()];
    env = {
      HORTUS_HTTP_PORT: String(http),
      HORTUS_HTTPS_PORT: String(https),
      // The fresh Debian has no docker command, by which Compose would build.
      COMPOSE_DOCKER_CLI_BUILD: '0',
    };
    url = `https://localhost:${https}`;
    machine = await startDebianMachine({
      socketPath: engine.socketPath,
      // The same path as outside, where the engine finds the Caddyfile.
      mounts: { '/run/docker.sock': engine.socketPath, [folder]: folder },
    });
    await compose(START);
    await trustCaddy();
    client = await signIn();
  }, DEBIAN_ROOT_MS);
  afterAll(async () => {
    await engine?.stop();
    await parent?.remove();
  });

  test('the loss of the container of the primary loses and doubles nothing', async () => {
    await whole();
    const primary = (await members()).find(({ Role }) => Role === 'Leader')?.Member as string;
    await survives('primary', primary);
    await startAgain(primary);
    await whole();
  }, 300_000);

  test('the loss of the container of the synchronous standby loses and doubles nothing', async () => {
    await whole();
    const standby = (await members()).find(({ Role }) => Role === 'Sync Standby')?.Member as string;
    await survives('standby', standby);
    await startAgain(standby);
    await whole();
  }, 300_000);

  test('the loss of one replica, and of two, loses and doubles nothing', async () => {
    await survives('one-replica', 'hortus-1');
    await survives('second-replica', 'hortus-2');
    await startAgain('hortus-1', 'hortus-2');
    for (const name of ['hortus-1', 'hortus-2']) await engine.healthy(containerOf(name));
  }, 300_000);
});
