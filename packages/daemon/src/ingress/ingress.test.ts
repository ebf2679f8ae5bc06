import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { createServer as createSecureServer, request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openLog } from '@hortus/logging/log';
import { startLoad } from '@hortus/testkit/load';
import { freePort } from '@hortus/testkit/port';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Routes } from '../journal/routes.ts';
import { SCHEMA } from '../journal/schema.ts';
import type { ServedRoute } from '../journal/served-route.ts';
import { Ingress } from './ingress.ts';
import { openConnections } from './open-connections.ts';

/** A real Caddy in front of web servers that respond with their name and the requested path. */
const backends: Server[] = [];
const addresses: string[] = [];
let folder: TemporaryFolder;
let ingress: Ingress;
let ports: { httpPort: number; httpsPort: number };
let routes: Routes;

beforeAll(async () => {
  for (const name of ['one', 'two', 'three']) {
    const backend = createServer((asked, response) => {
      const wait = asked.url?.includes('slow') ? 400 : 0;
      setTimeout(() => response.end(`${name} ${asked.url}`), wait);
    });
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    backends.push(backend);
    addresses.push(`127.0.0.1:${(backend.address() as AddressInfo).port}`);
  }
});
afterAll(() => {
  for (const backend of backends) backend.close();
});
beforeEach(async () => {
  folder = temporaryFolder('ingress');
  ports = { httpPort: await freePort(), httpsPort: await freePort() };
  const db = new DatabaseSync(':memory:');
  db.exec(SCHEMA);
  routes = new Routes(db);
  ingress = open();
  ingress.start();
});
afterEach(async () => {
  for (const { instanceUid } of routes.all()) await ingress.lead(instanceUid, []);
  await ingress.stop();
  await folder.remove();
});

const open = (caddy?: string) =>
  new Ingress({ caddy, ...ports, directory: join(folder.path, 'ingress'), routes, log: openLog({ level: 'error' }) });

function route(overrides: Partial<ServedRoute> & { to: number[] }): ServedRoute {
  const { to, ...rest } = overrides;
  const targets = to.map((index) => ({ container: `c${index}`, address: addresses[index] }));
  const rule = {
    name: 'web',
    component: 'main',
    port: 80,
    host: 'a.test',
    path: '/',
    strip: false,
    tls: 'off',
  } as const;
  return { ...rule, targets, ...rest };
}

function ask(host: string, path = '/', send = request, port = ports.httpPort) {
  return new Promise<{ status: number; body: string; headers: IncomingMessage['headers'] }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, servername: host, headers: { host }, rejectUnauthorized: false };
    const outgoing = send({ ...options, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const caddyPid = () => JSON.parse(readFileSync(join(folder.path, 'ingress/caddy.pid'), 'utf8')).pid as number;

describe('routes', () => {
  test('match by host and longest path, with the prefix kept or stripped', async () => {
    await ingress.lead('a', [route({ to: [0] }), route({ name: 'api', path: '/api', to: [1] })]);
    await ingress.lead('b', [route({ name: 'x', path: '/api/deep', strip: true, to: [2] })]);
    expect(ingress.trouble).toBeUndefined();
    expect((await ask('a.test', '/')).body).toBe('one /');
    expect((await ask('A.TEST', '/page?x=1')).body).toBe('one /page?x=1');
    expect((await ask('a.test', '/api')).body).toBe('two /api');
    expect((await ask('a.test', '/api/x')).body).toBe('two /api/x');
    expect((await ask('a.test', '/apiary')).body).toBe('one /apiary');
    expect((await ask('a.test', '/api/deep/x')).body).toBe('three /x');
    expect((await ask('b.test')).status).toBe(404);
  });

  test('lead to a component that encrypts itself with a certificate of its own', async () => {
    await ingress.lead('maker', [route({ host: 'maker.test', tls: 'internal', to: [0] })]);
    // Caddy writes key, certificate and this file, in that order.
    const made = () =>
      readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('maker.test.json'));
    const file = join(folder.path, await until(made, { describe: 'a certificate', within: 20_000 }));
    const [cert, key] = ['crt', 'key'].map((type) => readFileSync(file.replace(/json$/, type)));
    const pair = { cert: cert as Buffer, key: key as Buffer };
    const backend = createSecureServer(pair, (asked, response) => response.end(`secret ${asked.url}`));
    onTestFinished(() => void backend.close());
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(backend.address() as AddressInfo).port}`;
    await ingress.lead('a', [route({ scheme: 'https', to: [], targets: [{ container: 'c9', address }] })]);
    expect(await ask('a.test', '/x')).toMatchObject({ status: 200, body: 'secret /x' });
  });

  test('balance over all targets, even more than fit into one file name', async () => {
    const to = Array.from({ length: 23 }, (_, index) => index % 3);
    await ingress.lead('a', [route({ to })]);
    const seen = new Set<string>();
    for (let round = 0; round < 60; round++) seen.add((await ask('a.test')).body);
    expect([...seen].sort()).toEqual(['one /', 'three /', 'two /']);
  });

  test('return 503 without a running target, and tolerate one dead target', async () => {
    const gone = `127.0.0.1:${await freePort()}`;
    await ingress.lead('a', [route({ to: [], targets: [{ container: 'c', address: undefined }] })]);
    expect(await ask('a.test')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    const targets = [gone, addresses[0] as string].map((address) => ({ container: address, address }));
    await ingress.lead('a', [route({ to: [], targets })]);
    for (let round = 0; round < 20; round++) expect((await ask('a.test')).body).toBe('one /');
  });

  test('with an internal certificate serve HTTPS, and HTTP redirects there', async () => {
    await ingress.lead('a', [route({ host: 'secure.test', tls: 'internal', to: [0] })]);
    await until(
      () =>
        ask('secure.test', '/x', secureRequest, ports.httpsPort).then(
          () => true,
          () => false,
        ),
      {
        describe: 'a certificate',
      },
    );
    expect((await ask('secure.test', '/x', secureRequest, ports.httpsPort)).body).toBe('one /x');
    const plain = await ask('secure.test', '/x');
    expect(plain).toMatchObject({ status: 308, headers: { location: `https://secure.test:${ports.httpsPort}/x` } });
  });

  test('serve local names over plain HTTP without a redirect, and over HTTPS as well', async () => {
    await ingress.lead('a', [
      route({ host: 'hello.localhost', tls: 'auto', to: [0] }),
      route({ name: 'strict', host: 'strict.localhost', tls: 'internal', to: [1] }),
    ]);
    expect(await ask('hello.localhost', '/x')).toMatchObject({ status: 200, body: 'one /x' });
    const respondsByTls = () => ask('hello.localhost', '/x', secureRequest, ports.httpsPort).catch(() => undefined);
    const secure = await until(respondsByTls, { describe: 'a certificate of the server itself' });
    expect(secure.body).toBe('one /x');
    expect(await ask('strict.localhost')).toMatchObject({ status: 308 });
  });

  test('know which instance uses a route', async () => {
    await ingress.lead('a', [route({ to: [0], path: '/x' })]);
    expect(ingress.taken('b', [{ host: 'a.test', path: '/x/' }])).toMatchObject({ instanceUid: 'a' });
    expect(ingress.taken('a', [{ host: 'a.test', path: '/x' }])).toBeUndefined();
    expect(ingress.taken('b', [{ host: 'a.test', path: '/' }])).toBeUndefined();
  });
});

describe('routes under load', () => {
  test('no request is lost when the targets of a route change repeatedly', async () => {
    await ingress.lead('a', [route({ to: [0] })]);
    const load = startLoad({ port: ports.httpPort, host: 'a.test' });
    for (let round = 1; round <= 30; round++) {
      await ingress.lead('a', [route({ to: [round % 3] })]);
      const before = load.result.responded;
      await until(() => load.result.responded > before + 15, { describe: 'answers' });
    }
    const { failures, bodies } = await load.stop();
    expect(failures).toEqual([]);
    expect([...bodies.keys()].sort()).toEqual(['one /', 'three /', 'two /']);
  });

  // Connections that the kernel accepted while Caddy replaces its listener are reset: see docs/decisions/ingress.md.
  test('no request on an open connection is lost when other routes or replicas change', async () => {
    await ingress.lead('a', [route({ to: [0] })]);
    const load = startLoad({ port: ports.httpPort, host: 'a.test', connections: 'kept' });
    for (let round = 1; round <= 3; round++) {
      await ingress.lead('b', [route({ host: `b${round}.test`, to: [1] })]);
      await ingress.lead('a', [route({ to: round % 2 ? [0, 1] : [0] })]);
    }
    const { failures } = await load.stop();
    expect(failures).toEqual([]);
  });

  test('a former target has no connections once its requests are answered', async () => {
    await ingress.lead('a', [route({ to: [0] })]);
    const slow = ask('a.test', '/slow');
    await until(async () => (await openConnections([addresses[0] as string])) > 0, { describe: 'a connection' });
    await ingress.lead('a', [route({ to: [1] })]);
    expect((await slow).body).toBe('one /slow');
    await until(async () => (await openConnections([addresses[0] as string])) === 0, { describe: 'no connection' });
  });
});

describe('Caddy', () => {
  test('is restarted with all routes when it dies', async () => {
    await ingress.lead('a', [route({ to: [0] })]);
    process.kill(caddyPid(), 'SIGKILL');
    await until(
      () =>
        ask('a.test').then(
          ({ body }) => body === 'one /',
          () => false,
        ),
      { describe: 'Caddy to be back' },
    );
  });

  test('outlives the daemon and is reused by the next one', async () => {
    await ingress.lead('a', [route({ to: [0] })]);
    const pid = caddyPid();
    await ingress.stop();
    expect((await ask('a.test')).body).toBe('one /');
    ingress = open();
    ingress.start();
    await ingress.assert();
    expect(caddyPid()).toBe(pid);
    await ingress.lead('a', [route({ to: [1] })]);
    expect((await ask('a.test')).body).toBe('two /');
  });

  test('is ended with the last route', async () => {
    await ingress.lead('a', [route({ to: [0] })]);
    await ingress.lead('a', []);
    await until(
      () =>
        ask('a.test').then(
          () => false,
          () => true,
        ),
      { describe: 'Caddy to end' },
    );
  });

  test('that is missing or cannot bind its port is reported, and the routes are stored', async () => {
    const none = open('off');
    await none.lead('a', [route({ to: [0] })]);
    expect(none.trouble).toContain('disabled');
    expect(none.routesOf('a')).toHaveLength(1);
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(ports.httpPort, resolve));
    await ingress.assert();
    expect(ingress.trouble).toContain('address already in use');
    await new Promise((resolve) => blocker.close(resolve));
    await until(
      () =>
        ask('a.test').then(
          ({ body }) => body === 'one /',
          () => false,
        ),
      { describe: 'the route' },
    );
    expect(ingress.trouble).toBeUndefined();
  });
});
