import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
  createAndDeploy,
  type Deployed,
  deploy,
  ended,
  finished,
  type Installation,
  inside,
  openInstallationWithDaemon,
} from './installation.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallationWithDaemon();
});
afterAll(() => installation?.[Symbol.asyncDispose]());

const note = async ({ instanceId }: Deployed, line: string) =>
  expect(await ended(installation, await act(installation, instanceId, 'note', { line }))).toMatchObject({
    status: 'completed',
  });

const containerOf = async ({ definitionId: id }: Deployed) =>
  (await installation.service.client.call('definitions.read', { params: { id } })).data.container_name;

const lines = async (deployed: Deployed) =>
  (
    await inside(installation.engine, await containerOf(deployed), 'sh', '-c', 'cat /data/lines 2>/dev/null || true')
  ).trim();

const archive = ({ definitionId: id }: Deployed, container: 'keep' | 'remove' = 'remove') =>
  installation.service.client.call('definitions.archive', { params: { id }, query: { container } });

const isGone = (name: string) =>
  until(async () => (await installation.engine.inspect(name)) === undefined, {
    describe: `${name} to go`,
    within: 60_000,
  });

test('a definition that reuses the uid of an archived one starts empty; the old data survives', {
  timeout: 240_000,
}, async () => {
  const { client } = installation.service;
  const old = await createAndDeploy(installation, 'ledger');
  await note(old, 'of the old one');
  const { backup } = await client.call('backups.create', { params: { id: old.instanceId }, body: {} });
  await until(
    async () => (await client.call('backups.read', { params: { id: backup.id } })).data.status === 'completed',
    { describe: 'the backup', within: 60_000 },
  );

  // Deploys at once, while the old containers are still being removed.
  await archive(old);
  const young = await createAndDeploy(installation, 'ledger');
  await isGone('ledger');
  expect(await lines(young)).toBe('');
  await note(young, 'of the new one');
  expect(await lines(young)).toBe('of the new one');
  expect(await installation.engine.volume('ledger_data')).toBeDefined();
  const { data: backups } = await client.call('backups.list', { query: { definition_id: young.definitionId } });
  expect(backups).toEqual([]);

  await archive(young);
  await isGone(await containerOf(young));
  await client.call('definitions.activate', { params: { id: old.definitionId } });
  const again = await finished(installation, await deploy(installation, old.definitionId));
  expect(again, again.error ?? '').toMatchObject({ status: 'success' });
  expect(await containerOf(old)).toBe('ledger');
  expect(await lines(old)).toBe('of the old one');
  expect(await installation.engine.volume(`${await containerOf(young)}_data`)).toBeDefined();
});

test('a kept container of an archived definition runs next to the new one until it is released', {
  timeout: 240_000,
}, async () => {
  const { client } = installation.service;
  const inputs = { WEB_HOSTNAME: 'kept.example.org' };
  const old = await createAndDeploy(installation, 'kept', { species: 'stateful', inputs });
  const before = (await installation.engine.inspect('kept'))?.id;
  await archive(old, 'keep');

  // Unique resources are refused by name.
  const body = {
    species: 'stateful',
    instance_uid: 'kept',
    server_id: installation.serverId,
    inputs,
    watch_seconds: 0,
  };
  const { id } = (await client.call('definitions.create', { body })).data;
  await expect(deploy(installation, id)).rejects.toMatchObject({ details: { reason: 'route_taken' } });
  await client.call('definitions.update', { params: { id }, body: { inputs: { WEB_HOSTNAME: 'new.example.org' } } });
  const deployed = await finished(installation, await deploy(installation, id));
  expect(deployed, deployed.error ?? '').toMatchObject({ status: 'success' });
  const young = { definitionId: id, instanceId: deployed.instance_id ?? '' };
  expect(await installation.engine.inspect('kept')).toMatchObject({ id: before, state: 'running' });
  expect(await installation.engine.inspect(await containerOf(young))).toMatchObject({ state: 'running' });

  // An action on the old instance reaches only the old container.
  const released = await client.call('instances.release', { params: { id: old.instanceId }, body: {} });
  expect(await ended(installation, released.execution.id)).toMatchObject({ status: 'completed' });
  expect(await installation.engine.inspect('kept')).toBeUndefined();
  expect(await installation.engine.inspect(await containerOf(young))).toMatchObject({ state: 'running' });
});
