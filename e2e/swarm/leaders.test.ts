import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { act, createAndDeploy, deploy, ended, finished, redeploy } from '../docker/installation.ts';
import { type ClusterInstallation, openClusterInstallation } from './cluster-installation.ts';

const TAKEOVER_MS = 20_000;

test('a cluster deploys, acts, collects logs and backs up, and survives the loss of its leader at any time', {
  timeout: 900_000,
}, async () => {
  await using installation = await openClusterInstallation();
  const { service, members, serverId, cluster } = installation;
  const { client } = service;
  const [first, second] = members;
  await installation.start();

  // Deploy, redeploy, act, read logs.
  const page = await createAndDeploy(installation, 'page', { species: 'pages' });
  expect(await redeploy(installation, page.definitionId, { GREETING: 'second' })).toMatchObject({ status: 'success' });
  expect(await revisions(installation, 'page')).toEqual(['2']);
  const greet = async () => {
    const { status, output, error } = await ended(installation, await act(installation, page.instanceId, 'greet'));
    return status === 'completed' ? output : error;
  };
  expect(await greet()).toBe('second\n');
  const logs = async () => JSON.stringify(await client.call('logs.instance', { params: { id: page.instanceId } }));
  await until(async () => (await logs()).includes('serving second'), { describe: 'the output of the tasks' });

  // Back up and restore on the node of the volume.
  const noted = await createAndDeploy(installation, 'noted', { species: 'notes' });
  const note = async (line: string) => {
    // A backup starts the service again, whose task takes its time.
    await until(async () => (await installation.running('noted')).length === 1, { describe: 'the task of the notes' });
    const { status, error } = await ended(installation, await act(installation, noted.instanceId, 'note', { line }));
    expect(status, error ?? '').toBe('completed');
  };
  await note('before');
  const backup = await backUp(installation, noted.instanceId);
  await note('after');
  await restore(installation, backup);
  const lines = await ended(installation, await act(installation, noted.instanceId, 'lines'));
  expect(lines).toMatchObject({ status: 'completed', output: 'before\n' });

  // The leader dies in the middle of a rollout: the next one continues it within seconds.
  await client.call('definitions.update', {
    params: { id: page.definitionId },
    body: { inputs: { GREETING: 'third' } },
  });
  const interrupted = await deploy(installation, page.definitionId);
  const isUpdating = async () => (await cluster.service('page'))?.update?.state === 'updating';
  await until(isUpdating, { within: 60_000, describe: 'the rollout to be under way' });
  const killedAt = performance.now();
  await first.process.kill('SIGKILL');
  await installation.leads(second);
  expect(performance.now() - killedAt).toBeLessThan(TAKEOVER_MS);
  const outcome = await finished(installation, interrupted, 180_000);
  const expected = outcome.status === 'success' ? '3' : '2';
  await until(async () => (await revisions(installation, 'page')).join() === expected, {
    describe: `only tasks of revision ${expected} after ${outcome.status}: ${outcome.error}`,
  });
  expect(await installation.running('page')).toHaveLength(6);

  // The next leader knows what the former one deployed, and goes on from there.
  expect(await redeploy(installation, page.definitionId, { GREETING: 'fourth' }, 180_000)).toMatchObject({
    status: 'success',
  });
  expect(await greet()).toBe('fourth\n');

  // The former leader has the interrupted rollout in its journal. It resumes nothing, neither as a standby nor as a leader.
  const before = await taskIds(installation, 'page');
  first.start();
  await installation.waits(first);
  expect((await second.process.stop()).code).toBe(0);
  await installation.leads(first);
  await first.process.waitForLine('unfinished work in the journal is dropped');
  expect(await greet()).toBe('fourth\n');
  expect(await taskIds(installation, 'page')).toEqual(before);
  expect(await revisions(installation, 'page')).toEqual(['4']);

  // The leader dies in the middle of an action, which is neither repeated nor forgotten.
  second.start();
  await installation.waits(second);
  const hanging = await act(installation, page.instanceId, 'hang');
  const runs = async () => {
    const { execution } = await client.call('actions.read', { params: { execution_id: hanging } });
    return execution.status;
  };
  await until(async () => (await runs()) === 'running', { describe: 'the action to run' });
  await first.process.kill('SIGKILL');
  await installation.leads(second);
  expect(await ended(installation, hanging)).toMatchObject({ status: 'failed', outcome: 'unknown' });
  first.start();
  await installation.waits(first);
  expect((await second.process.stop()).code).toBe(0);
  await installation.leads(first);
  expect(await greet()).toBe('fourth\n');
  expect(await ended(installation, hanging)).toMatchObject({ status: 'failed', outcome: 'unknown' });
  second.start();
  await installation.waits(second);
  expect((await client.call('servers.read', { params: { id: serverId } })).data).toMatchObject({ status: 'online' });
});

/** Different revisions of the running tasks. */
const revisions = async (installation: ClusterInstallation, uid: string) => [
  ...new Set((await installation.running(uid)).map(({ labels }) => labels['hortus.revision'])),
];

const taskIds = async (installation: ClusterInstallation, uid: string) =>
  (await installation.running(uid)).map(({ id }) => id).sort();

async function backUp(installation: ClusterInstallation, instanceId: string): Promise<string> {
  const { client } = installation.service;
  const { execution, backup } = await client.call('backups.create', { params: { id: instanceId } });
  const { status, error } = await ended(installation, execution.id);
  expect(status, error ?? '').toBe('completed');
  return backup.id;
}

async function restore(installation: ClusterInstallation, backupId: string): Promise<void> {
  const { client } = installation.service;
  const { execution } = await client.call('backups.restore', { params: { id: backupId }, body: { confirm: 'noted' } });
  const { status, error } = await ended(installation, execution.id);
  expect(status, error ?? '').toBe('completed');
}
