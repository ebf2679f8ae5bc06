import type { Engine } from '@hortus/daemon/engine/engine';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
  createAndDeploy,
  deploy,
  ended,
  finished,
  type Installation,
  inside,
  openInstallationWithDaemon,
} from './installation.ts';

let installation: Installation;
let engine: Engine;
beforeAll(async () => {
  installation = await openInstallationWithDaemon();
  engine = installation.engine;
});
afterAll(() => installation?.[Symbol.asyncDispose]());

const instance = async (id: string) =>
  (await installation.service.client.call('instances.read', { params: { id } })).data;
const volumes = async (uid: string) =>
  (await engine.volumes({ labels: { 'hortus.instance': uid } })).map(({ name }) => name);
/** A stopped container is started again, and an old one kept beside a new one; the Swarm always creates another task. */
const sameAs = (facts: { id: string } | undefined) => (installation.kind === 'cluster' ? {} : { id: facts?.id });
const page = (uid: string) => inside(engine, uid, 'wget', '-q', '-O', '-', 'http://127.0.0.1:8080/');

/** Requests a built-in action and waits until it has finished. */
async function order(id: string, what: 'start' | 'stop' | 'restart') {
  const { execution } = await installation.service.client.call(`instances.${what}`, { params: { id } });
  expect(await ended(installation, execution.id)).toMatchObject({ status: 'completed' });
}

async function release(id: string, body: { remove_volumes?: boolean; confirm?: string[] } = {}) {
  const { execution } = await installation.service.client.call('instances.release', { params: { id }, body });
  expect(await ended(installation, execution.id)).toMatchObject({ status: 'completed' });
}

/** Waits for the expected events, oldest first, because numbering is asynchronous. */
async function expectEvents(id: string, ...expected: string[]) {
  let found: string[] = [];
  const read = async () => {
    const { data } = await installation.service.client.call('events.list', { query: { resource_id: id, after: 0 } });
    found = data.map(({ type }) => type).filter((type) => type.startsWith('instance.'));
    return found.length >= expected.length;
  };
  await until(read, { describe: () => `${expected}, there is ${found}` });
  expect(found).toEqual(expected);
}

test('stop, start and restart change the container, the instance and the events', { timeout: 300_000 }, async () => {
  const { instanceId } = await createAndDeploy(installation, 'built-in-cycle');
  const facts = async () => (await engine.inspect('built-in-cycle')) ?? expect.fail('no container');
  const before = await facts();

  await order(instanceId, 'stop');
  expect((await facts()).state).toBe('exited');
  expect(await instance(instanceId)).toMatchObject({ status: 'stopped', uptime_seconds: 0 });
  await expectEvents(instanceId, 'instance.started', 'instance.stopped');

  await order(instanceId, 'start');
  expect(await facts()).toMatchObject({ ...sameAs(before), state: 'running' });
  await until(async () => (await instance(instanceId)).status === 'running', { describe: 'the instance to run' });
  await until(async () => (await instance(instanceId)).health === 'healthy', { describe: 'it to be healthy' });
  await expectEvents(instanceId, 'instance.started', 'instance.stopped', 'instance.started');

  const { startedAt } = await facts();
  await order(instanceId, 'restart');
  const after = await facts();
  expect(after).toMatchObject({ ...sameAs(before), state: 'running' });
  expect(after.startedAt).not.toBe(startedAt);
  await until(async () => (await instance(instanceId)).status === 'running', { describe: 'the instance to run' });
  expect((await page('built-in-cycle')).trim()).toBe('hello');
});

test('release removes the container, and volumes only if they are named', {
  timeout: 300_000,
}, async () => {
  const { definitionId, instanceId } = await createAndDeploy(installation, 'built-in-release');
  expect(await ended(installation, await act(installation, instanceId, 'note', { line: 'kept' }))).toMatchObject({
    exit_code: 0,
  });
  const [volume] = await volumes('built-in-release');
  expect(volume).toBeDefined();

  await release(instanceId);
  expect(await engine.inspect('built-in-release')).toBeUndefined();
  expect(await volumes('built-in-release')).toEqual([volume]);
  expect(await instance(instanceId)).toMatchObject({ status: 'released' });
  await expectEvents(instanceId, 'instance.started', 'instance.stopped');

  // A new deployment finds its old data.
  const again = await finished(installation, await deploy(installation, definitionId));
  expect(again).toMatchObject({ status: 'success' });
  const next = again.instance_id ?? '';
  expect(await inside(engine, 'built-in-release', 'cat', '/data/lines')).toBe('kept\n');

  const { client } = installation.service;
  const unnamed = client.call('instances.release', { params: { id: next }, body: { remove_volumes: true } });
  await expect(unnamed).rejects.toMatchObject({ status: 422, details: { field: 'confirm', missing: ['data'] } });
  expect(await engine.inspect('built-in-release')).toMatchObject({ state: 'running' });

  await release(next, { remove_volumes: true, confirm: ['data'] });
  expect(await engine.inspect('built-in-release')).toBeUndefined();
  expect(await volumes('built-in-release')).toEqual([]);
});

test('a broken revision fails with reason and log while the previous one serves; rollback makes that current', {
  timeout: 300_000,
}, async () => {
  const { client } = installation.service;
  const { definitionId: id, instanceId } = await createAndDeploy(installation, 'built-in-broken');
  const change = async (inputs: Record<string, string>) => {
    await client.call('definitions.update', { params: { id }, body: { inputs } });
    return await finished(installation, await deploy(installation, id));
  };
  const good = await change({ GREETING: 'second' });
  expect(good, good.error ?? '').toMatchObject({ status: 'success', revision: 2 });
  expect((await page('built-in-broken')).trim()).toBe('second');
  const served = await engine.inspect('built-in-broken');

  const broken = await change({ GREETING: 'third', HEALTH_PATH: '/nothing-here' });
  expect(broken).toMatchObject({ status: 'failed', reason: 'unhealthy', revision: 3 });
  expect(broken.error).toContain('main');
  expect(broken.logs.some(({ level }) => level === 'error')).toBe(true);
  expect(await engine.inspect('built-in-broken')).toMatchObject({ ...sameAs(served), state: 'running' });
  expect((await page('built-in-broken')).trim()).toBe('second');
  expect(await engine.containers({ labels: { 'hortus.instance': 'built-in-broken' } })).toHaveLength(1);
  await until(async () => (await instance(instanceId)).status === 'running', { describe: 'the instance to run' });
  const serving = await engine.inspect('built-in-broken');
  await until(async () => (await instance(instanceId)).container_id === serving?.id, { describe: 'its container' });
  expect(await instance(instanceId)).toMatchObject({ revision: 2 });

  const { data: back } = await client.call('deployments.rollback', { params: { id: broken.id } });
  expect(back).toMatchObject({ kind: 'rollback', rollback_of: broken.id, revision: 2 });
  expect(await finished(installation, back.id)).toMatchObject({ status: 'success' });
  expect((await client.call('definitions.read', { params: { id } })).data).toMatchObject({ current_revision: 2 });

  // Rolls back a successful revision too.
  const { data: further } = await client.call('deployments.rollback', { params: { id: good.id } });
  expect(await finished(installation, further.id)).toMatchObject({ status: 'success', revision: 1 });
  expect((await page('built-in-broken')).trim()).toBe('hello');
  expect(await instance(instanceId)).toMatchObject({ status: 'running', revision: 1 });
});

test('archiving removes the container and keeps the volume', { timeout: 300_000 }, async () => {
  const { client } = installation.service;
  const { definitionId: id, instanceId } = await createAndDeploy(installation, 'built-in-archive');
  const kept = await volumes('built-in-archive');
  await client.call('definitions.archive', { params: { id } });
  await until(async () => (await engine.inspect('built-in-archive')) === undefined, {
    describe: 'the container to go',
  });
  await until(async () => (await instance(instanceId)).status === 'released', { describe: 'the release' });
  expect(kept).toHaveLength(1);
  expect(await volumes('built-in-archive')).toEqual(kept);
  await expectEvents(instanceId, 'instance.started', 'instance.stopped');
});
