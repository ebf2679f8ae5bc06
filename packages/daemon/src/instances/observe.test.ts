import { expect, test } from 'vitest';
import { component } from '../plan/testing/manifests.ts';
import { image, TestServer, web, webCheck } from '../rollout/testing/server.ts';
import { id } from '../testing/signing.ts';
import { type Observed, observe } from './observe.ts';

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
        (await own.engine.containers(filter)).map((one) =>
          one.name === stopped ? { ...one, state: 'removing' } : one,
        ),
    };
    expect((await observe(leaving, own.id)).map(({ instance_uid }) => instance_uid)).not.toContain(stopped);
  } finally {
    await own.close();
  }
});
