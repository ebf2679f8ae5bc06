import { expect, test } from 'vitest';
import { component } from '../plan/testing/manifests.ts';
import { image, TestServer, web, webCheck } from '../rollout/testing/server.ts';
import { id } from '../testing/signing.ts';
import { type Observed, type ObservedComponent, observe, withoutReplicas } from './observe.ts';

test('observe distinguishes stopped, failed, unhealthy and healthy, and skips containers being removed', async () => {
  const own = await TestServer.open();
  try {
    const [well, stopped, failed, sick] = [own.newUid(), own.newUid(), own.newUid(), own.newUid()];
    // Exits on demand: on a busy machine a fixed time could pass before the deployment ends.
    const end = 'until [ -e /tmp/go ]; do sleep 0.05; done; exit 9';
    // Unhealthy at once, yet patient enough to be deployed on a busy machine.
    const healthcheck = { ...webCheck, start_period_ms: 0, retries: 600 };
    await Promise.all([
      own.deploy(well, [component('main', web())]),
      own.deploy(stopped, [component('main', web())]),
      own.deploy(failed, [component('main', { image, restart: 'no', command: ['sh', '-c', end] })]),
      own.deploy(sick, [component('main', web({ healthcheck }))]),
    ]);
    await own.engine.stop(stopped, 1_000);
    await own.run(sick, 'rm', '/www/health');
    await own.run(failed, 'touch', '/tmp/go');
    await own.engine.wait(failed);
    const seen = await observe(own.engine, own.id);
    const of = (uid: string) => seen.find(({ instance_uid }) => instance_uid === uid);
    expect(of(well)).toMatchObject({
      status: 'running',
      health: 'healthy',
      definition_id: id('def'),
      container_name: well,
    });
    expect(of(stopped)).toMatchObject({ status: 'stopped', health: 'unknown' });
    expect(of(failed)).toMatchObject({ status: 'failed', components: [{ name: 'main', exit_code: 9 }] });
    expect(of(sick)).toMatchObject({ status: 'running', health: 'unhealthy' });
    const leaving: Observed = {
      exec: (...command) => own.engine.exec(...command),
      containers: async (filter) =>
        (await own.engine.containers(filter)).map((container) =>
          container.name === stopped ? { ...container, state: 'removing' } : container,
        ),
    };
    expect((await observe(leaving, own.id)).map(({ instance_uid }) => instance_uid)).not.toContain(stopped);
  } finally {
    await own.close();
  }
});

test('an instance whose primary container is lost keeps its name', async () => {
  const own = await TestServer.open();
  try {
    const uid = own.newUid();
    await own.deploy(uid, [component('main', web()), component('other', web())]);
    await own.engine.remove(uid, { force: true });
    const [seen] = await observe(own.engine, own.id);
    expect(seen).toMatchObject({ instance_uid: uid, container_name: uid, components: [{ name: 'other' }] });
  } finally {
    await own.close();
  }
});

test('an instance that was deployed as healthy is observed as healthy before the first check of the engine', async () => {
  const own = await TestServer.open();
  try {
    const [well, slow] = [own.newUid(), own.newUid()];
    // The engine checks only after an hour; until then it says that the container is starting.
    const patientClient = { interval_ms: 3_600_000, timeout_ms: 5_000, retries: 3, start_period_ms: 0 };
    const waiting = { image, command: ['sh', '-c', 'trap exit TERM; touch /tmp/ready; while :; do sleep 0.1; done'] };
    const healthcheck = { ...patientClient, test: ['test', '-e', '/tmp/ready'] };
    await Promise.all([
      own.deploy(well, [component('main', { ...waiting, healthcheck })]),
      own.deploy(slow, [component('main', { ...waiting, healthcheck })]),
    ]);
    await own.run(slow, 'rm', '/tmp/ready');
    const health = async (uid: string) => (await observe(own.engine, own.id, uid))[0]?.health;
    expect((await own.engine.containers({ labels: {} })).find(({ name }) => name === well)?.health).toBe('starting');
    expect(await health(well)).toBe('healthy');
    expect(await health(slow)).toBe('starting');
  } finally {
    await own.close();
  }
});

test('replicas are reported as one component with the worst state and all nodes', () => {
  const replica = (name: string, overrides: Partial<ObservedComponent>): ObservedComponent => ({
    ...{ name, kind: 'service', container_id: '', container_name: name, status: 'running', health: 'healthy' },
    ...{ image: 'example:1', started_at: 1, exit_code: null },
    ...overrides,
  });
  const parts = [
    replica('web', { container_id: 'a', nodes: ['n2'] }),
    replica('web', { container_id: 'b', nodes: ['n1'], health: 'unhealthy' }),
    replica('web', { container_id: 'c', nodes: ['n2'], status: 'failed' }),
    replica('db', { container_id: 'd' }),
  ];
  expect(withoutReplicas(parts)).toMatchObject([
    { name: 'web', container_id: 'a', status: 'failed', health: 'unhealthy', nodes: ['n1', 'n2'] },
    { name: 'db', container_id: 'd', status: 'running', health: 'healthy' },
  ]);
  expect(withoutReplicas(parts)[1]).not.toHaveProperty('nodes');
});
