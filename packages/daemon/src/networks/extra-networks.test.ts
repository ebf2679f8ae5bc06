import { openLog } from '@hortus/logging/log';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Turns } from '../concurrency/turns.ts';
import { component } from '../plan/testing/manifests.ts';
import { TestServer, web } from '../rollout/testing/server.ts';
import { ExtraNetworks } from './extra-networks.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

const networksOf = async (uid: string) =>
  (await server.engine.networks({ labels: { 'hortus.instance': uid } })).map(({ name }) => name);

function extraNetworks(quietMs = 0, turns = new Turns()) {
  return new ExtraNetworks({
    engine: server.engine,
    turns,
    serverId: () => server.id,
    log: openLog({ level: 'error' }),
    quietMs,
  });
}

const version = (value: string) => ({ env: { VERSION: value } });

const store = component('store', web());

test('an extra network is removed once no connection uses it, and the container restarts without it', async () => {
  const uid = server.newUid();
  const page = (value: string) => [component('main', web(version(value))), component('side', web(version(value)))];
  await server.deploy(uid, page('1'));
  expect(await server.deploy(uid, page('2'))).toMatchObject({ status: 'success' });
  expect(await networksOf(uid)).toHaveLength(2);

  const busy = new Turns();
  const rollout = Promise.withResolvers<void>();
  const turn = busy.take(uid, () => rollout.promise);
  await extraNetworks(0, busy).sweep();
  expect(await networksOf(uid)).toHaveLength(2);
  rollout.resolve();
  await turn;

  await extraNetworks().sweep();
  expect(await networksOf(uid)).toEqual([`hortus-${uid}`]);
  await server.engine.stop(uid, 0);
  await server.engine.start(uid);
  await server.engine.stop(`${uid}-side`, 0);
  await server.engine.start(`${uid}-side`);
  const respond = () => server.run(uid, 'wget', '-q', '-O', '-', 'http://alias-side:8080/health');
  await until(async () => (await respond()) === 'ok\n', { describe: 'both to resolve each other' });
  expect(await server.deploy(uid, page('3'))).toMatchObject({ status: 'success', gap_ms: 0 });
});

/** Keeps a connection to the component `store` open from its start. */
const connected = (value: string) =>
  component(
    'app',
    web({ ...version(value), depends_on: { store: 'healthy' } }, '(sleep 100000 | nc alias-store 8080) &'),
  );

test('an extra network stays while a connection uses it or an address on it may be cached', async () => {
  const uid = server.newUid();
  await server.deploy(uid, [connected('1'), store]);
  expect(await server.deploy(uid, [connected('2'), store])).toMatchObject({ status: 'success' });
  expect(await networksOf(uid)).toHaveLength(2);
  const open = async () => Number(await server.run(`${uid}-store`, 'sh', '-c', 'netstat -tn | grep -c ESTABLISHED'));
  await until(async () => (await open()) === 1, { describe: 'the connection to be open' });
  const extra = extraNetworks();
  await extra.sweep();
  expect(await networksOf(uid)).toHaveLength(2);

  // Without a connection, the next one may still use a cached address.
  await server.run(uid, 'sh', '-c', 'kill -KILL $(pidof nc)');
  await until(async () => (await open()) === 0, { describe: 'the connection to be closed' });
  await extra.sweep();
  expect(await networksOf(uid)).toHaveLength(2);
});

test('an extra network is removed once its container has reached the others over the instance network', async () => {
  const uid = server.newUid();
  const app = (value: string) => component('app', web(version(value)));
  await server.deploy(uid, [app('1'), store]);
  expect(await server.deploy(uid, [app('2'), store])).toMatchObject({ status: 'success' });
  const ask = () => server.run(uid, 'wget', '-q', '-O', '-', 'http://alias-store:8080/health');
  const [extra, slow] = [extraNetworks(), extraNetworks(600_000)];
  await extra.sweep();
  expect(await networksOf(uid)).toHaveLength(2);
  expect(await ask()).toBe('ok\n');
  await slow.sweep();
  await slow.sweep();
  expect(await networksOf(uid)).toHaveLength(2);
  const isGone = () => extra.sweep().then(async () => (await networksOf(uid)).length === 1);
  await until(isGone, { describe: 'the extra network to be removed' });
  expect(await ask()).toBe('ok\n');
});
