import type { Manifest, ManifestComponent, ManifestRoute } from '@hortus/contract/template/manifest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runningContainer } from '../instances/instance-containers.ts';
import { component } from '../plan/testing/manifests.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { smokeFailure, smokeReport } from './report.ts';
import { runSmoke, type SmokeResult, type SmokeRun } from './smoke.ts';

let server: TestServer;
let uid: string;
beforeAll(async () => {
  server = await TestServer.open();
  // Responds with the host and the scheme of the request, which must be those of the ingress.
  const page =
    '#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n%s %s %s" "$HTTP_HOST" "$HTTP_X_FORWARDED_PROTO" "$PATH_INFO"\n';
  const start = 'sleep 0.4; touch /tmp/late; exec httpd -f -p 8080 -h /www';
  uid = await deploy(
    component('web', {
      image,
      init: true,
      command: ['sh', '-c', start],
      files: [
        { mount_path: '/www/cgi-bin/echo', mode: '0755', content: page },
        { mount_path: '/www/shop/page.txt', mode: '0644', content: 'welcome to the shop' },
        { mount_path: '/www/long.txt', mode: '0644', content: `${'x'.repeat(3_000_000)}end` },
      ],
    }),
    component('side', { image, init: true, command: ['sleep', '100000'] }),
  );
});
afterAll(() => server.close());

async function deploy(...components: ManifestComponent[]): Promise<string> {
  const name = server.newUid();
  expect((await server.deploy(name, components)).status).toBe('success');
  return name;
}

const route = (overrides: Partial<ManifestRoute> = {}): ManifestRoute => ({
  name: 'web',
  component: 'web',
  port: 8080,
  host: 'shop.example.org',
  path: '/',
  strip: false,
  tls: 'auto',
  primary: true,
  url: 'https://shop.example.org',
  ...overrides,
});

function run(smoke: Manifest['smoke'], more: Partial<SmokeRun> & { routes?: ManifestRoute[] } = {}) {
  const { routes = [route()], ...overrides } = more;
  return runSmoke({
    engine: server.engine,
    manifest: { smoke, routes },
    containerOf: (name) => runningContainer(server.engine, uid, name, name === 'web'),
    timeoutMs: 20_000,
    ...overrides,
  });
}

const http = (path: string, contains?: string, expected = 200) => ({
  http: { route: 'web', path, expect: expected, ...(contains === undefined ? {} : { contains }) },
});
const once = { timeoutMs: 0 };
const only = ({ checks }: SmokeResult) => checks[0] ?? expect.fail('no check');

describe('a route', () => {
  it('is requested with its external host name, and retried until it is up', async () => {
    const result = await run([http('/cgi-bin/echo', 'shop.example.org https')]);
    expect(result).toMatchObject({ passed: true, checks: [{ seen: '200', passed: true }] });
    expect(only(result)).toMatchObject({
      asked: 'GET /cgi-bin/echo of route web',
      expected: '200 with "shop.example.org https"',
    });
  });

  it('is requested below its own path, unless the ingress strips it', async () => {
    const below = await run([http('/page.txt', 'welcome')], { routes: [route({ path: '/shop' })] });
    expect(below.passed).toBe(true);
    const stripped = await run([http('/shop/page.txt')], { routes: [route({ path: '/x/', strip: true })] });
    expect(only(stripped)).toMatchObject({ asked: 'GET /x/shop/page.txt of route web', passed: true });
  });

  it('fails by status and by missing content, and reports the response', async () => {
    const wrong = await run(
      [http('/nowhere'), http('/shop/page.txt', 'goodbye'), http('/nowhere', undefined, 404)],
      once,
    );
    expect(wrong.passed).toBe(false);
    expect(wrong.checks.map(({ passed }) => passed)).toEqual([false, false, true]);
    expect(wrong.checks[0]?.seen).toMatch(/^404: /);
    expect(wrong.checks[1]?.seen).toBe('200: welcome to the shop');
  });

  it('is read and shown only up to a limit', async () => {
    const { seen, passed } = only(await run([http('/long.txt', 'end')], once));
    expect(passed).toBe(false);
    expect(seen.length).toBeLessThan(400);
  });

  it('without a container or route is a failure and not an exception', async () => {
    const gone = await run([http('/')], { ...once, containerOf: async () => undefined });
    expect(only(gone).seen).toBe('no running container of web');
    expect(only(await run([http('/')], { ...once, routes: [] })).seen).toBe('the template has no route web');
  });
});

describe('a port and a command', () => {
  it('pass once they respond within the timeout', async () => {
    const result = await run([
      { tcp: { component: 'web', port: 8080 } },
      { exec: { component: 'web', command: ['test', '-e', '/tmp/late'] } },
    ]);
    expect(result.checks.map(({ seen }) => seen)).toEqual(['a connection', 'exit code 0']);
  });

  it('fail with the output of the container', async () => {
    const result = await run(
      [
        { tcp: { component: 'side', port: 9 } },
        { exec: { component: 'side', command: ['sh', '-c', 'echo no such table; exit 3'] } },
      ],
      once,
    );
    expect(result.checks[0]?.seen).toContain('ECONNREFUSED');
    expect(result.checks[1]?.seen).toBe('sh exited with 3: no such table');
  });

  it('that hang fail in time, and an aborted run ends', async () => {
    const hangs = [{ exec: { component: 'side', command: ['sleep', '1000'] } }];
    expect(only(await run(hangs, { ...once, tryMs: 300 })).seen).toBe('no response within 300 ms');
    const ended = await run([{ tcp: { component: 'side', port: 9 } }, ...hangs], { signal: AbortSignal.timeout(300) });
    expect(ended.passed).toBe(false);
    expect(ended.checks[1]?.seen).toBe('nothing: the test was aborted');
  });
});

it('a smoke test reports one line per check, and the first failure in one sentence', async () => {
  const result = await run([http('/shop/page.txt'), { tcp: { component: 'side', port: 9 } }], once);
  const [first, second] = smokeReport(result).split('\n');
  expect(first).toMatch(/^passed {2}GET \/shop\/page\.txt of route web: 200 \(\d+ ms\)$/);
  expect(second).toMatch(/^failed {2}a connection to side on port 9: expected a connection, saw .*ECONNREFUSED/);
  expect(smokeFailure(result)).toMatch(/^a connection to side on port 9: expected a connection, saw /);
  expect(smokeReport(await run([]))).toBe('The template declares no smoke test.\n');
  expect(smokeFailure(await run([]))).toBeUndefined();
});
