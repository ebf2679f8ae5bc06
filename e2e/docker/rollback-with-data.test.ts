import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
  createAndDeploy,
  type Deployed,
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

const facts = async (uid: string) =>
  (await inside(installation.engine, uid, 'sh', '-c', 'echo "$GREETING"; cat /data/lines')).trimEnd().split('\n');

async function changed({ definitionId: id }: Deployed, inputs: Record<string, string>, backup_first = true) {
  const { client } = installation.service;
  await client.call('definitions.update', { params: { id }, body: { inputs } });
  return (await client.call('deployments.execute', { body: { definition_id: id, backup_first } })).data;
}

const back = async (id: string, with_data: boolean) =>
  (await installation.service.client.call('deployments.rollback', { params: { id }, body: { with_data } })).data;

test('a rollback with data restores the rows of the earlier revision', {
  timeout: 240_000,
}, async () => {
  const deployed = await createAndDeploy(installation, 'rows', { inputs: { GREETING: 'first' } });
  await note(deployed, 'before');
  const { id, preparation } = await changed(deployed, { GREETING: 'second' });
  expect(preparation).toMatchObject({ kind: 'backup', done: false });
  const second = await finished(installation, id, 120_000);
  expect(second, second.error ?? '').toMatchObject({ status: 'success', preparation: { done: true } });
  await note(deployed, 'after');
  expect(await facts('rows')).toEqual(['second', 'before', 'after']);

  const without = await finished(installation, (await back(id, false)).id, 120_000);
  expect(without).toMatchObject({ status: 'success', preparation: null });
  expect(await facts('rows')).toEqual(['first', 'before', 'after']);

  const ordered = await back(id, true);
  expect(ordered).toMatchObject({ revision: 1, backup_id: second.backup_id, preparation: { kind: 'restore' } });
  const end = await finished(installation, ordered.id, 120_000);
  expect(end, end.error ?? '').toMatchObject({ status: 'success' });
  expect(await facts('rows')).toEqual(['first', 'before']);
});

test('a tenant suspended during the rollback has the earlier data, and nothing runs', {
  timeout: 240_000,
}, async () => {
  const { client } = installation.service;
  const order = { name: 'Lodger', server_id: installation.serverId };
  const { id: tenant_id } = (await client.call('tenants.create', { body: order })).data;
  const deployed = await createAndDeploy(installation, 'lodger', { inputs: { GREETING: 'first' }, tenant_id });
  const { instanceId: id } = deployed;
  await note(deployed, 'before');
  const second = await finished(installation, (await changed(deployed, { GREETING: 'second' })).id, 120_000);
  expect(second, second.error ?? '').toMatchObject({ status: 'success' });
  await note(deployed, 'after');

  const { id: undoing } = await back(second.id, true);
  const returning = { params: { id }, query: { slug: 'hortus.return_data' } };
  const begun = async () => (await client.call('actions.history', returning)).data[0]?.started_at;
  await until(async () => typeof (await begun()) === 'string', { describe: 'the data to be on its way' });
  await client.call('tenants.suspend', { params: { id: tenant_id } });
  const end = await finished(installation, undoing, 120_000);
  expect(end, end.error ?? '').toMatchObject({ status: 'success', revision: 1 });
  const containers = async () => installation.engine.containers({ labels: { 'hortus.instance': 'lodger' } });
  const stopped = async () => {
    const { data } = await client.call('instances.read', { params: { id } });
    return data.status === 'stopped' && (await containers()).every(({ state }) => state !== 'running');
  };
  await until(stopped, { describe: 'it to be stopped', within: 60_000 });
  expect((await client.call('tenants.read', { params: { id: tenant_id } })).data).toMatchObject({
    status: 'suspended',
    running_count: 0,
  });

  await client.call('tenants.resume', { params: { id: tenant_id } });
  const started = async () => (await client.call('instances.read', { params: { id } })).data.status === 'running';
  await until(started, { describe: 'it to run again', within: 60_000 });
  expect(await facts('lodger')).toEqual(['first', 'before']);
});

test('a failed backup stops the deployment, and the instance keeps running', {
  timeout: 240_000,
}, async () => {
  const deployed = await createAndDeploy(installation, 'stays', { inputs: { GREETING: 'first' } });
  await note(deployed, 'before');
  // A missing critical volume fails the backup.
  const { engine } = installation;
  const [container] = await engine.containers({ labels: { 'hortus.instance': 'stays' } });
  await engine.remove(container?.id ?? '', { force: true });
  await engine.removeVolume('stays_data');
  const { id } = await changed(deployed, { GREETING: 'second' });
  expect(await finished(installation, id, 120_000)).toMatchObject({
    status: 'failed',
    reason: 'backup',
    error: expect.stringMatching(
      /^Nothing was changed: the backup before the deployment failed: The volume data does not exist/,
    ),
    started_at: null,
  });
  const { data } = await installation.service.client.call('instances.read', { params: { id: deployed.instanceId } });
  expect(data.revision).toBe(1);
});
