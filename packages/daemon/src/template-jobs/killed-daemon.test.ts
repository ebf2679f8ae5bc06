import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { component } from '../plan/testing/manifests.ts';
import { image } from '../rollout/testing/server.ts';
import { DaemonProcess, sleeper } from '../testing/daemon-process.ts';

let daemon: DaemonProcess;
beforeAll(async () => {
  daemon = await DaemonProcess.start();
  await daemon.connected();
});
afterAll(() => daemon.close());

/** Makes the job due, as if its time had passed while the daemon was down. */
function makeDue(uid: string): void {
  const db = new DatabaseSync(join(daemon.stateDirectory, 'journal.db'));
  expect(db.prepare('update schedules set due_at = 1 where instance_uid = ?').run(uid).changes).toBe(1);
  db.close();
}

it('a scheduled job runs while the service is away, survives kill -9 of the daemon, runs once and is reported afterwards', async () => {
  const { server, service } = daemon;
  const uid = server.newUid();
  const storage = (read_only: boolean) => [
    { name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only, critical: false },
  ];
  const tidy = component('tidy', {
    image,
    kind: 'job',
    run: 'schedule',
    schedule: 'weekly',
    restart: 'no',
    command: ['sh', '-c', 'echo run >> /data/runs; while [ ! -e /data/go ]; do sleep 0.1; done; echo swept'],
    storage: storage(false),
  });
  const deployment = daemon.order(uid, [sleeper({ storage: storage(true) }), tidy]);
  expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });
  const journalled = () => {
    const db = new DatabaseSync(join(daemon.stateDirectory, 'journal.db'), { readOnly: true });
    const found = db.prepare('select * from schedules where instance_uid = ?').get(uid);
    db.close();
    return found;
  };
  await until(journalled, { describe: 'the schedule to be journalled' });
  await daemon.kill(() => {
    service.down = true;
    makeDue(uid);
  });
  const runs = async () => (await server.run(uid, 'cat', '/data/runs')).split('\n').filter((line) => line === 'run');
  await until(async () => (await runs()).length > 0, {
    describe: () => `a run\n${daemon.process.output}`,
  });
  await daemon.kill();
  const [job] = await server.engine.containers({ labels: { 'hortus.instance': uid, 'hortus.execution': true } });
  if (job === undefined) throw new Error('the job has no container');
  await server.engine.exec(job.id, { argv: ['touch', '/data/go'] });
  await until(async () => (await server.engine.inspect(job.id)) === undefined, {
    describe: () => `the end of the job\n${daemon.process.output}`,
  });
  service.down = false;
  const reported = () => service.callsTo('POST', '/actions/scheduled').map(({ body }) => body);
  await until(() => reported().length > 0, { describe: () => `the report\n${daemon.process.output}`, within: 70_000 });
  expect(reported()).toMatchObject([
    {
      component: 'tidy',
      status: 'completed',
      exit_code: 0,
      output: 'swept\n',
      due_at: 1,
      execution_id: job.labels['hortus.execution'],
    },
  ]);
  expect(await runs()).toHaveLength(1);
});
