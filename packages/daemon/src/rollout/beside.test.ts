import { startLoad } from '@hortus/testkit/load';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { component } from '../plan/testing/manifests.ts';
import { TestServer, web } from './testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

const failingCheck = { test: ['false'], interval_ms: 20, timeout_ms: 1_000, start_period_ms: 0, retries: 2 };
const says = (text: string) => web({}, `echo ${text} > /www/index.html;`);

function routed(uid: string, overrides: { component?: string; host?: string } = {}) {
  const { component: name = 'main', host = `${uid}.test` } = overrides;
  const rule = { name: 'web', component: name, port: 8080, host, path: '/', strip: false } as const;
  return { manifest: { routes: [{ ...rule, tls: 'off', primary: true, url: `http://${host}` } as const] } };
}

const networksOf = async (uid: string) =>
  (await server.engine.networks({ labels: { 'hortus.instance': uid } })).map(({ name }) => name);

describe('a component without storage and fixed ports', () => {
  test('is replaced beside its predecessor without a failed request', async () => {
    const uid = server.newUid();
    const first = await server.deploy(uid, [component('main', says('v0'))], routed(uid));
    expect(first).toMatchObject({ status: 'success' });
    expect(first.gap_ms).toBeUndefined();
    const load = startLoad({ port: server.httpPort, host: `${uid}.test` });
    for (let version = 1; version <= 3; version++) {
      const result = await server.deploy(uid, [component('main', says(`v${version}`))], routed(uid));
      expect(result).toMatchObject({ status: 'success', gap_ms: 0 });
      await until(() => load.result.bodies.has(`v${version}`), { describe: `an answer of v${version}` });
    }
    const { failures, bodies } = await load.stop();
    expect(failures).toEqual([]);
    expect([...bodies.keys()].sort()).toEqual(['v0', 'v1', 'v2', 'v3']);
    const order = ['network', 'create', 'start', 'wait_healthy', 'join', 'route', 'drain', 'stop_old', 'remove_old'];
    expect(server.steps().filter((step) => order.includes(step))).toEqual(order);
    expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([`${uid} running`]);
    expect(await networksOf(uid)).toHaveLength(2);
  });

  test('whose new version is broken keeps serving, and nothing of the new one is left', async () => {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', says('good'))], routed(uid));
    const old = await server.inspect(uid);
    const load = startLoad({ port: server.httpPort, host: `${uid}.test` });
    const broken = component('main', { ...says('bad'), healthcheck: failingCheck });
    expect(await server.deploy(uid, [broken], routed(uid))).toMatchObject({ status: 'failed', restored: true });
    const { failures, bodies } = await load.stop();
    expect(failures).toEqual([]);
    expect([...bodies.keys()]).toEqual(['good']);
    expect(await server.inspect(uid)).toMatchObject({ Id: old.Id, State: { StartedAt: old.State.StartedAt } });
    expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([`${uid} running`]);
    expect(await networksOf(uid)).toEqual([`hortus-${uid}`]);
  });

  test('finds other components by name while it starts, and is found by them only when it is ready', async () => {
    const uid = server.newUid();
    const [api, front] = [component('api'), component('front')].map(({ name }) => `alias-${name}`);
    const parts = (version: string) => [
      component('api', web({ env: { version } }, `echo api ${version} > /www/name;`)),
      component(
        'front',
        web(
          { depends_on: { api: 'healthy' }, env: { version } },
          `wget -q -O /www/seen http://${api}:8080/name || exit 1;`,
        ),
      ),
      component('watcher', web({}, `sleep 0.1;`)),
    ];
    expect(await server.deploy(uid, parts('1'))).toMatchObject({ status: 'success' });
    let [going, responses] = [true, [] as string[]];
    // No proxy in between holds requests back, so a request to the stopping container may be lost.
    const ask = ['timeout', '10', 'wget', '-q', '-O', '-', `http://${api}:8080/name`];
    const watching = (async () => {
      while (going) responses.push((await server.run(`${uid}-watcher`, ...ask)).trim());
    })();
    expect(await server.deploy(uid, parts('2'))).toMatchObject({ status: 'success', gap_ms: 0 });
    going = false;
    await watching;
    const received = responses.filter((response) => response.startsWith('api '));
    expect([...new Set(received)]).toEqual(['api 1', 'api 2'].filter((text) => received.includes(text)));
    const lost = responses.findIndex((response) => !response.startsWith('api '));
    if (lost >= 0) expect(responses.slice(lost)).not.toContain('api 1');
    expect(await server.run(`${uid}-watcher`, 'wget', '-q', '-O', '-', `http://${front}:8080/seen`)).toMatch(
      /^api [12]\n$/,
    );
    expect(await server.run(`${uid}-watcher`, 'wget', '-q', '-O', '-', `http://${api}:8080/name`)).toBe('api 2\n');
    // Once more, now that both were created on their own networks.
    expect(await server.deploy(uid, parts('3'))).toMatchObject({ status: 'success', gap_ms: 0 });
    expect(await server.run(`${uid}-front`, 'wget', '-q', '-O', '-', `http://${api}:8080/name`)).toBe('api 3\n');
    expect(await networksOf(uid)).toHaveLength(2);
  });

  test('runs in several replicas behind one route, which serves all of them', async () => {
    const uid = server.newUid();
    const replicated = (version: string, replicas: number) => {
      const overrides = web({ replicas, env: { version } }, `hostname -i | head -n 1 > /www/index.html;`);
      return [component('main', overrides)];
    };
    await server.deploy(uid, replicated('1', 1), routed(uid));
    const load = startLoad({ port: server.httpPort, host: `${uid}.test`, connections: 'kept' });
    await server.deploy(uid, replicated('2', 2), routed(uid));
    const before = load.result.responded;
    await until(() => load.result.responded > before + 50, { describe: 'answers of both' });
    await server.deploy(uid, replicated('3', 2), routed(uid));
    const { failures, bodies } = await load.stop();
    expect(failures).toEqual([]);
    expect(bodies.size).toBeGreaterThanOrEqual(3);
    expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([
      `${uid} running`,
      `${uid}.2 running`,
    ]);
  });
});

describe('a component with storage', () => {
  test('is replaced with a measured downtime', async () => {
    const uid = server.newUid();
    const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
    const parts = (version: string) => [component('main', { ...says(version), storage })];
    await server.deploy(uid, parts('v1'), routed(uid));
    const begun = performance.now();
    const result = await server.deploy(uid, parts('v2'), routed(uid));
    expect(result.gap_ms).toBeGreaterThan(0);
    expect(result.gap_ms).toBeLessThan(performance.now() - begun);
    const { bodies } = await (async () => {
      const load = startLoad({ port: server.httpPort, host: `${uid}.test` });
      await until(() => load.result.responded > 5, { describe: 'answers' });
      return load.stop();
    })();
    expect([...bodies.keys()]).toEqual(['v2']);
  });
});

describe('a route', () => {
  test('that another instance uses is refused before any change', async () => {
    const [text, two] = [server.newUid(), server.newUid()];
    await server.deploy(text, [component('main', web())], routed(text, { host: 'shared.test' }));
    const result = await server.deploy(two, [component('main', web())], routed(two, { host: 'Shared.test' }));
    expect(result).toMatchObject({ status: 'failed', reason: 'route_taken' });
    expect(result.error).toContain(text);
    expect((await server.names()).filter((name) => name.startsWith(two))).toEqual([]);
  });

  test('that two rollouts claim at once goes to one; the other names the owner and leaves nothing behind', async () => {
    const uids = [server.newUid(), server.newUid()];
    const results = await Promise.all(
      uids.map((uid) => server.deploy(uid, [component('main', web())], routed(uid, { host: 'wanted.test' }))),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['failed', 'success']);
    const loser = results.findIndex(({ status }) => status === 'failed');
    expect(results[loser]).toMatchObject({ reason: 'route_taken', restored: true });
    expect(results[loser]?.error).toContain(uids[1 - loser]);
    expect((await server.names()).filter((name) => name.startsWith(uids[loser] as string))).toEqual([]);
  });

  test('without Caddy does not fail the rollout: log and result contain the address instead', async () => {
    const bare = await TestServer.open({ caddy: 'off' });
    try {
      const uid = bare.newUid();
      const result = await bare.deploy(uid, [component('main', web())], routed(uid));
      expect(result).toMatchObject({
        status: 'success',
        instance: { url: expect.stringMatching(/^http:\/\/[\d.]+:8080$/) },
      });
      const response = await fetch(`${result.instance?.url}/health`);
      expect(await response.text()).toBe('ok\n');
      expect(bare.log.find(({ level }) => level === 'warn')?.message).toContain('disabled');
    } finally {
      await bare.close();
    }
  });
});
