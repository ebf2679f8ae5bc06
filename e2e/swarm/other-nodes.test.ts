import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { act, createAndDeploy, ended } from '../docker/installation.ts';
import { openClusterInstallation } from './cluster-installation.ts';
import { shellIn } from './shell-in.ts';

test('actions by command and HTTP, jobs, shells, backups and restores reach a component on a node without a daemon', {
  timeout: 900_000,
}, async () => {
  await using installation = await openClusterInstallation();
  const { members, cluster, service } = installation;
  const [first, second] = members;
  await installation.start();
  await installation.allowRows(2);
  const { instanceId } = await createAndDeploy(installation, 'rows', { species: 'ledger' });
  const third = (await cluster.nodes()).find(({ name }) => name === installation.swarm.nodes[2]?.name);
  expect((await installation.running('rows')).map(({ node }) => node)).toEqual([third?.id]);

  const run = async (slug: string, params = {}) => {
    // A backup starts the service again, whose task takes its time.
    await until(async () => (await installation.running('rows')).length === 1, { describe: 'the task of the rows' });
    const { status, output, error } = await ended(installation, await act(installation, instanceId, slug, params));
    expect(status, error ?? '').toBe('completed');
    return output;
  };
  const shell = (script: string, input = '') => shellIn(installation, 'rows', ['sh', '-c', script], input);
  await run('add', { row: 'one' });
  expect(await run('rows')).toBe('one\n');
  expect(await run('count')).toContain('1 /rows/all');
  expect(await shell('cat /rows/all; cat', 'typed')).toBe('one\ntyped');

  // By HTTP over the network of the instance, whose relay is gone afterwards.
  expect(await run('page')).toBe('one\n');
  const missing = await ended(installation, await act(installation, instanceId, 'lost-page'));
  expect(missing).toMatchObject({ status: 'failed', error: 'The component returned status 404.' });
  const relays = async () => await cluster.services({ labels: { 'hortus.task_relay': true } });
  await until(async () => (await relays()).length === 0, { describe: 'the relays to be removed' });

  // The volume is copied there, and the dump is fed to a command there.
  const { execution, backup } = await service.client.call('backups.create', { params: { id: instanceId } });
  const made = await ended(installation, execution.id);
  expect(made.status, made.error ?? '').toBe('completed');
  await run('add', { row: 'two' });
  const order = { params: { id: backup.id }, body: { confirm: 'rows' } };
  const restored = await service.client.call('backups.restore', order);
  const outcome = await ended(installation, restored.execution.id);
  expect(outcome.status, `${outcome.error} ${outcome.output}`).toBe('completed');
  expect(await run('rows')).toBe('one\n');
  expect(await shell('cat /rows/dumped')).toBe('one\n');
  expect((await installation.running('rows')).map(({ node }) => node)).toEqual([third?.id]);

  // The next leader closes the tunnels of the former one, and opens its own.
  const tunnels = async () => (await cluster.services({ labels: { 'hortus.tunnel_part': true } })).map(({ id }) => id);
  const before = await tunnels();
  expect(before).toHaveLength(2);
  // It also removes what the former one left of a relay.
  const labels = { 'hortus.server': installation.serverId, 'hortus.task_relay': 'left' };
  await cluster.createContent('secrets', { name: 'left', labels, data: Buffer.from('settings') });
  await first.process.kill('SIGKILL');
  await installation.leads(second);
  await until(async () => !(await tunnels()).some((id) => before.includes(id)), { describe: 'the tunnels to close' });
  const left = () => cluster.contents('secrets', { labels });
  await until(async () => (await left()).length === 0, { describe: 'the left relay to be removed' });
  expect(await run('rows')).toBe('one\n');
  expect(await tunnels()).toHaveLength(2);

  // Releasing the instance removes the volumes there, and closes the tunnel.
  const params = { id: instanceId };
  const released = await service.client.call('instances.release', {
    params,
    body: { remove_volumes: true, confirm: ['rows'] },
  });
  expect(await ended(installation, released.execution.id)).toMatchObject({ status: 'completed' });
  await until(async () => (await tunnels()).length === 0, { describe: 'the tunnel to be closed' });
});
