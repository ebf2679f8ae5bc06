import { text } from 'node:stream/consumers';
import { hortusInScript } from '@hortus/testkit/pseudo-terminal';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { act, createAndDeploy, ended } from '../docker/installation.ts';
import { type ClusterInstallation, openClusterInstallation } from './cluster-installation.ts';

test('actions, jobs, shells, backups and restores reach a component on a node without a daemon', {
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
  await run('add', { row: 'one' });
  expect(await run('rows')).toBe('one\n');
  expect(await run('count')).toContain('1 /rows/all');
  expect(await shell(installation, 'cat /rows/all; cat', 'typed')).toBe('one\ntyped');

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
  expect(await shell(installation, 'cat /rows/dumped', '')).toBe('one\n');
  expect((await installation.running('rows')).map(({ node }) => node)).toEqual([third?.id]);

  // The next leader closes the tunnels of the former one, and opens its own.
  const tunnels = async () => (await cluster.services({ labels: { 'hortus.tunnel_part': true } })).map(({ id }) => id);
  const before = await tunnels();
  expect(before).toHaveLength(2);
  await first.process.kill('SIGKILL');
  await installation.leads(second);
  await until(async () => !(await tunnels()).some((id) => before.includes(id)), { describe: 'the tunnels to close' });
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

async function shell({ service }: ClusterInstallation, script: string, input: string): Promise<string> {
  const env = { HORTUS_URL: service.base, HORTUS_KEY: service.key };
  const child = hortusInScript(['shell', 'rows', '--', 'sh', '-c', script], env);
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(out, err).not.toBe('');
  return out;
}
