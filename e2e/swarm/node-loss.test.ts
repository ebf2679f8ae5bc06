import { readFileSync } from 'node:fs';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import type { Swarm } from '@hortus/testkit/swarm';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { createAndDeploy, ended } from '../docker/installation.ts';
import { type ClusterInstallation, openClusterInstallation } from './cluster-installation.ts';
import { shellIn } from './shell-in.ts';

/** The Swarm notices a lost node after some seconds; the service then gives it a minute to come back. */
const RESTORED_WITHIN_MS = 300_000;

const TEMPLATE = new URL('../../catalog/database/postgres/template.yaml', import.meta.url);

/** PostgreSQL as the catalog has it, with its dumps, and an image from the registry of the Swarm. */
async function postgres(swarm: Swarm): Promise<Record<string, string>> {
  const published = 'docker.io/library/postgres';
  const image = await swarm.publishStandIn(`${published}:17.10`);
  return { postgres: readFileSync(TEMPLATE, 'utf8').replace(published, image.replace(/:17\.10$/, '')) };
}

test('a database on a lost node comes back on another node from its last verified backup, and runs once when the node returns', {
  timeout: 900_000,
}, async () => {
  await using installation = await openClusterInstallation({ species: postgres });
  const { members, cluster, service, swarm } = installation;
  const { client } = service;
  const [first, second] = members;
  const [, other, doomed] = swarm.nodes;
  if (other === undefined || doomed === undefined) throw new Error('The Swarm has three nodes');
  await installation.start();
  await installation.allowRows(2);
  const overrides = { main: { placement: { constraints: { rows: 'true' } }, on_node_loss: 'restore' as const } };
  const rows = await createAndDeploy(installation, 'rows', { species: 'postgres', overrides });
  const unsaved = await createAndDeploy(installation, 'unsaved', { species: 'ledger' });
  await installation.allowRows(1);
  const nodesOf = async (uid: string) => {
    const nodes = await cluster.nodes();
    return (await installation.running(uid)).map((task) => nodes.find(({ id }) => id === task.node)?.name);
  };
  expect([await nodesOf('rows'), await nodesOf('unsaved')]).toEqual([[doomed.name], [doomed.name]]);
  const sql = (text: string) =>
    shellIn(installation, 'rows', [
      ...['psql', '--username=app', '--dbname=app', '--no-align', '--tuples-only', '--set=ON_ERROR_STOP=1'],
      `--command=${text}`,
    ]);
  const beds = () => sql('select id, plant from beds order by id');
  await sql(
    "create table beds (id int primary key, plant text); insert into beds values (1, 'it''s mint'), (2, 'thyme')",
  );
  const backup = await verifiedBackup(installation, rows.instanceId);
  await sql("insert into beds values (3, 'too late')");
  await until(async () => (await reported(installation, doomed.name)).includes('rows'), {
    describe: 'the report of what runs on the node',
  });

  doomed.kill();
  const eventsSeen = async (instanceId: string, type: string) => {
    const query = { resource_id: instanceId, per_page: 100 } as const;
    return (await client.call('events.list', { query })).data.find((item) => item.type === type);
  };
  const ordered = await until(() => eventsSeen(rows.instanceId, 'audit.node_restore_ordered'), {
    within: RESTORED_WITHIN_MS,
    describe: 'the restore on another node',
  });
  expect(ordered.data).toMatchObject({ backup_id: backup.id, hostname: doomed.name });
  const { execution_id, data_until } = ordered.data as { execution_id: string; data_until: string };
  expect(Date.parse(data_until)).toBeGreaterThan(Date.now() - 900_000);
  const restored = await ended(installation, execution_id);
  expect(restored.status, `${restored.error} ${restored.output}`).toBe('completed');
  expect(restored.output).toContain(`Restored the data of ${data_until}; what was written later is missing`);
  expect(restored.output).toContain(`The former volumes remain on node ${doomed.name}`);
  expect(await nodesOf('rows')).toEqual([other.name]);
  expect(await beds()).toBe("1|it's mint\n2|thyme\n");

  // Without a verified backup the instance waits for its node.
  const skipped = await until(() => eventsSeen(unsaved.instanceId, 'audit.node_restore_skipped'), {
    describe: 'the reason why the other instance waits',
  });
  expect(skipped.data).toMatchObject({ reason: 'it has no verified backup on this cluster' });
  await sql("insert into beds values (4, 'sage')");

  // The node returns with the old volume: what waited for it runs there again, the restored database does not.
  await doomed.start();
  await until(async () => (await nodesOf('unsaved')).includes(doomed.name), {
    within: 120_000,
    describe: 'the instance that waited for its node',
  });
  const there = openDockerEngine({ socketPath: doomed.socketPath });
  try {
    const labels = { 'hortus.instance': 'rows' };
    const left = async () => (await there.containers({ labels })).filter(({ state }) => state === 'running');
    expect(await left()).toEqual([]);
    expect((await there.volumes({ labels })).map(({ name }) => name)).toEqual(['rows_data']);
    expect(await nodesOf('rows')).toEqual([other.name]);
  } finally {
    there.close();
  }
  await until(() => eventsSeen(installation.serverId, 'node.returned'), { describe: 'the event that it returned' });

  // It is ordered once, whichever daemon leads.
  await first.process.kill('SIGKILL');
  await installation.leads(second);
  expect(await beds()).toBe("1|it's mint\n2|thyme\n4|sage\n");
  const { data } = await client.call('actions.history', {
    params: { id: rows.instanceId },
    query: { per_page: 100 },
  });
  expect(data.filter(({ slug }) => slug === 'hortus.restore_elsewhere')).toHaveLength(1);
});

/** Names of the instances that the service knows to run on a node. */
async function reported({ service, serverId }: ClusterInstallation, name: string): Promise<string[]> {
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
