import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { act, createAndDeploy, ended } from '../docker/installation.ts';
import { type ClusterInstallation, openClusterInstallation } from './cluster-installation.ts';

/** The Swarm notices a lost node after some seconds; the service then gives it a minute to come back. */
const RESTORED_WITHIN_MS = 300_000;

test('rows on a lost node come back on another node from the last verified backup, and what is missing is said', {
  timeout: 900_000,
}, async () => {
  await using installation = await openClusterInstallation();
  const { members, cluster, service, swarm } = installation;
  const { client } = service;
  const [first, second] = members;
  await installation.start();
  await installation.allowRows(2);
  const rows = await createAndDeploy(installation, 'rows', { species: 'ledger' });
  const unsaved = await createAndDeploy(installation, 'unsaved', { species: 'ledger' });
  await installation.allowRows(1);
  const nodeOf = async (uid: string) => {
    const [task] = await installation.running(uid);
    return (await cluster.nodes()).find(({ id }) => id === task?.node)?.name;
  };
  expect([await nodeOf('rows'), await nodeOf('unsaved')]).toEqual([swarm.nodes[2]?.name, swarm.nodes[2]?.name]);
  const run = async (slug: string, params = {}) => {
    await until(async () => (await installation.running('rows')).length === 1, { describe: 'the task of the rows' });
    const { status, output, error } = await ended(installation, await act(installation, rows.instanceId, slug, params));
    expect(status, error ?? '').toBe('completed');
    return output;
  };
  await run('add', { row: 'one' });
  await run('add', { row: 'two' });
  const backup = await verifiedBackup(installation, rows.instanceId);
  await run('add', { row: 'three' });
  await until(async () => (await reported(installation, swarm.nodes[2]?.name)).includes('rows'), {
    describe: 'the report of what runs on the node',
  });

  swarm.nodes[2]?.kill();
  const told = async (instanceId: string, type: string) => {
    const query = { resource_id: instanceId, per_page: 100 } as const;
    return (await client.call('events.list', { query })).data.find((one) => one.type === type);
  };
  const ordered = await until(() => told(rows.instanceId, 'audit.node_restore_ordered'), {
    within: RESTORED_WITHIN_MS,
    describe: 'the restore on another node',
  });
  expect(ordered.data).toMatchObject({ backup_id: backup.id, hostname: swarm.nodes[2]?.name });
  const { execution_id, data_until } = ordered.data as { execution_id: string; data_until: string };
  expect(Date.parse(data_until)).toBeGreaterThan(Date.now() - 900_000);
  const restored = await ended(installation, execution_id);
  expect(restored.status, `${restored.error} ${restored.output}`).toBe('completed');
  expect(restored.output).toContain(`Restored the data of ${data_until}; what was written later is missing`);
  expect(restored.output).toContain(`The former volumes remain on node ${swarm.nodes[2]?.name}`);
  expect(await nodeOf('rows')).toBe(swarm.nodes[1]?.name);
  expect(await run('rows')).toBe('one\ntwo\n');

  // Without a verified backup the instance waits for its node.
  const skipped = await until(() => told(unsaved.instanceId, 'audit.node_restore_skipped'), {
    describe: 'the reason why the other instance waits',
  });
  expect(skipped.data).toMatchObject({ reason: 'it has no verified backup on this cluster' });
  await run('add', { row: 'four' });

  // It is ordered once, whichever daemon leads.
  await first.process.kill('SIGKILL');
  await installation.leads(second);
  expect(await run('rows')).toBe('one\ntwo\nfour\n');
  const { data } = await client.call('actions.history', {
    params: { id: rows.instanceId },
    query: { per_page: 100 },
  });
  expect(data.filter(({ slug }) => slug === 'hortus.restore_elsewhere')).toHaveLength(1);
});

/** Names of the instances that the service knows to run on a node. */
async function reported({ service, serverId }: ClusterInstallation, name: string | undefined): Promise<string[]> {
  const { data } = await service.client.call('clusters.nodes', { params: { id: serverId }, query: {} });
  return data.find(({ hostname }) => hostname === name)?.tasks.map(({ instance_uid }) => instance_uid) ?? [];
}

async function verifiedBackup(installation: ClusterInstallation, id: string) {
  const { client } = installation.service;
  const { execution, backup } = await client.call('backups.create', { params: { id } });
  const made = await ended(installation, execution.id);
  expect(made.status, made.error ?? '').toBe('completed');
  const verification = await client.call('backups.verify', { params: { id: backup.id } });
  const verified = await ended(installation, verification.execution.id);
  expect(verified.status, `${verified.error} ${verified.output}`).toBe('completed');
  return backup;
}
