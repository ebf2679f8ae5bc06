import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishTemplate } from '../published-template.ts';
import {
  act,
  createAndDeploy,
  type Deployed,
  ended,
  type Installation,
  inside,
  openInstallationWithDaemon,
  sicken,
} from './installation.ts';
import { PAGE_IMAGE } from './test-species.ts';

/** A page with a volume. With a job, the data is changed irreversibly before it starts. */
const bulb = (slug: string, version: string, { health = '/', inputs = '', job = false } = {}) => `slug: ${slug}
name: ${slug}
version: ${version}
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
inputs:
  required: [${inputs}]
  optional: [{name: GREETING, type: text, default: hello}]
components:
  main:
    image: "\${template.image}"
    env: {VERSION: "${version}"}
    command: [httpd, -f, -p, "8080", -h, /www]
    stop_signal: SIGKILL
    files: [{mount_path: /www/index.html, mode: "0644", content: "\${inputs.GREETING}"}]
    storage: [{name: data, mount_path: /data, critical: true, shared: ${job}}]
    healthcheck: {http: {port: 8080, path: ${health}}, interval: 200ms, timeout: 1s, retries: 3, start_period: 2s}
${job ? MIGRATION : ''}backup: {strategy: volume, volumes: [{name: data, critical: true}]}
deadline: 60s
actions:
  - {name: Write a line, slug: note, type: exec, command: [sh, -c, 'echo "$1" >> /data/lines', note, "\${params.line}"],
     timeout: 30s, params: [{name: line, type: text, required: true}]}
`;

const MIGRATION = `    depends_on: {migrate: completed}
  migrate:
    kind: job
    run: before_start
    irreversible: true
    image: "\${template.image}"
    command: [sh, -c, 'echo migrated > /data/lines']
    storage: [{name: data, mount_path: /data, critical: true, shared: true}]
`;

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallationWithDaemon();
});
afterAll(() => installation?.[Symbol.asyncDispose]());

/** Deploys version 1.0.0 with a line in its volume. */
async function deployFirst(slug: string, watch_seconds: number): Promise<Deployed> {
  await publishTemplate(installation.service.client, bulb(slug, '1.0.0'));
  const deployed = await createAndDeploy(installation, slug, {
    species: slug,
    inputs: { GREETING: 'mine' },
    watch_seconds,
  });
  await ended(installation, await act(installation, deployed.instanceId, 'note', { line: 'kept' }));
  return deployed;
}

async function upgradeTo(source: string, { instanceId: instance_id }: Deployed): Promise<string> {
  await publishTemplate(installation.service.client, source);
  const find = async () =>
    (await installation.service.client.call('upgrades.list', { query: { instance_id, status: 'available' } })).data[0]
      ?.id;
  return await until(find, { describe: 'the upgrade to be found' });
}

const apply = async (id: string, inputs = {}) =>
  (await installation.service.client.call('upgrades.apply', { params: { id }, body: { inputs } })).data;

async function outcome(id: string) {
  const poll = async () => {
    const response = await installation.service.client.call('upgrades.read', { params: { id } }).catch(() => undefined);
    return response?.data.status === 'applying' ? undefined : response?.data;
  };
  return await until(poll, { describe: 'the end of the upgrade', within: 120_000 });
}

const stepOf = async (id: string) =>
  (await installation.service.client.call('upgrades.read', { params: { id } }).catch(() => undefined))?.data.step;

async function sickenWhileWatched(id: string, uid: string): Promise<void> {
  await until(async () => (await stepOf(id)) === 'upgrade_watch', { describe: 'the watch', within: 120_000 });
  await sicken(installation.engine, uid);
}

/** Returns version, page and data of the running container. */
const facts = async (uid: string) =>
  (
    await inside(
      installation.engine,
      uid,
      'sh',
      '-c',
      'echo "$VERSION"; wget -q -O - http://127.0.0.1:8080/; echo; cat /data/lines',
    )
  ).split('\n');

test('an upgrade to a working version keeps inputs and data', { timeout: 240_000 }, async () => {
  const deployed = await deployFirst('tulip', 2);
  const source = bulb('tulip', '1.1.0', { inputs: '{name: COLOUR, type: string}' });
  const id = await upgradeTo(source, deployed);
  await expect(apply(id)).rejects.toMatchObject({ status: 422, message: expect.stringContaining('inputs.COLOUR') });
  const { started_at } = await apply(id, { COLOUR: 'red' });
  const end = await outcome(id);
  expect(end, end.error ?? '').toMatchObject({ status: 'applied', started_at, revision: 2 });
  expect(await facts('tulip')).toEqual(['1.1.0', 'mine', 'kept', '']);
  const query = { definition_id: deployed.definitionId };
  const { data: backups } = await installation.service.client.call('backups.list', { query });
  expect(backups).toMatchObject([{ kind: 'pre_deploy', status: 'completed', revision: 1 }]);
});

test('an upgrade that becomes unhealthy is rolled back with its data during the watch period', {
  timeout: 240_000,
}, async () => {
  const deployed = await deployFirst('crocus', 60);
  const id = await upgradeTo(bulb('crocus', '1.1.0'), deployed);
  await apply(id);
  await sickenWhileWatched(id, 'crocus');
  const end = await outcome(id);
  expect(end, end.error ?? '').toMatchObject({ status: 'failed', reason: 'unhealthy', return_id: expect.any(String) });
  expect(Date.parse(end.finished_at ?? '') - Date.parse(end.started_at ?? '')).toBeLessThan(60_000);
  expect(await facts('crocus')).toEqual(['1.0.0', 'mine', 'kept', '']);
  const { data } = await installation.service.client.call('definitions.read', {
    params: { id: deployed.definitionId },
  });
  expect(data).toMatchObject({ template_version: '1.0.0', current_revision: 1 });
});

test('an upgrade that never becomes healthy leaves the old version running and can be retried', {
  timeout: 240_000,
}, async () => {
  const deployed = await deployFirst('lily', 2);
  const id = await upgradeTo(bulb('lily', '1.1.0', { health: '/nothing-here' }), deployed);
  await apply(id);
  expect(await outcome(id)).toMatchObject({ status: 'failed', reason: 'deployment' });
  expect(await facts('lily')).toEqual(['1.0.0', 'mine', 'kept', '']);
  expect(await apply(id)).toMatchObject({ status: 'applying', revision: 3 });
  expect(await outcome(id)).toMatchObject({ status: 'failed' });
});

describe('an upgrade whose job changed the data', () => {
  const wentBack = async (uid: string, { definitionId: id }: Deployed) => {
    expect(await facts(uid)).toEqual(['1.0.0', 'mine', 'kept', '']);
    const { data } = await installation.service.client.call('definitions.read', { params: { id } });
    expect(data).toMatchObject({ template_version: '1.0.0', current_revision: 1 });
    const { data: safety } = await installation.service.client.call('backups.list', {
      query: { definition_id: id, kind: 'safety' },
    });
    expect(safety).toMatchObject([{ status: 'completed' }]);
  };

  test('restores the old version and data if it never becomes healthy', {
    timeout: 240_000,
  }, async () => {
    const deployed = await deployFirst('peony', 2);
    const id = await upgradeTo(bulb('peony', '1.1.0', { job: true, health: '/nothing-here' }), deployed);
    await apply(id);
    const end = await outcome(id);
    expect(end, end.error ?? '').toMatchObject({
      status: 'failed',
      reason: 'deployment',
      return_id: expect.any(String),
    });
    expect(end.error).toContain('Revision 1 runs again with its previous data.');
    await wentBack('peony', deployed);
  });

  test('restores them through the service if it becomes unhealthy during the watch period', {
    timeout: 240_000,
  }, async () => {
    const deployed = await deployFirst('dahlia', 60);
    const id = await upgradeTo(bulb('dahlia', '1.1.0', { job: true }), deployed);
    await apply(id);
    await sickenWhileWatched(id, 'dahlia');
    const end = await outcome(id);
    expect(end, end.error ?? '').toMatchObject({ status: 'failed', reason: 'unhealthy' });
    await wentBack('dahlia', deployed);
  });

  test('restores them although the service is killed meanwhile', { timeout: 300_000 }, async () => {
    const deployed = await deployFirst('aster', 2);
    const id = await upgradeTo(bulb('aster', '1.1.0', { job: true, health: '/nothing-here' }), deployed);
    await apply(id);
    await until(async () => (await stepOf(id)) === 'upgrade_return', { describe: 'the way back', within: 120_000 });
    await installation.restartService();
    const { return_id: back } = (await installation.service.client.call('upgrades.read', { params: { id } })).data;
    const deployment = () => installation.service.client.call('deployments.read', { params: { id: back ?? '' } });
    await until(async () => (await deployment()).data.preparation?.done, { describe: 'the data', within: 120_000 });
    await installation.restartService();
    expect(await outcome(id)).toMatchObject({ status: 'failed', reason: 'deployment' });
    await wentBack('aster', deployed);
  });
});

test('a service killed at every step resumes the upgrade', { timeout: 300_000 }, async () => {
  const deployed = await deployFirst('iris', 4);
  const id = await upgradeTo(bulb('iris', '1.1.0'), deployed);
  await apply(id);
  await installation.restartService();
  await until(async () => (await stepOf(id)) === 'upgrade_watch', { describe: 'the watch', within: 120_000 });
  await installation.restartService();
  expect(await outcome(id)).toMatchObject({ status: 'applied' });
  expect(await facts('iris')).toEqual(['1.1.0', 'mine', 'kept', '']);
});
