import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import {
  createAndDeploy,
  type Installation,
  openInstallation,
  openInstallationWithDaemon,
  redeploy,
  sicken,
} from './installation.ts';
import { PAGE_IMAGE } from './test-species.ts';

/** A page with an irreversible job before it. */
const vine = `
slug: vine
name: Vine
description: A page with a job that only goes forward.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
inputs:
  optional:
    - {name: ROUND, type: string, default: "1"}
components:
  main:
    image: "\${template.image}"
    command: [httpd, -f, -p, "8080", -h, /www]
    env: {ROUND: "\${inputs.ROUND}"}
    stop_signal: SIGKILL
    files: [{mount_path: /www/index.html, mode: "0644", content: grown}]
    healthcheck: {http: {port: 8080, path: /}, interval: 200ms, timeout: 1s, retries: 3, start_period: 2s}
    depends_on: {prune: completed}
  prune:
    kind: job
    run: before_start
    irreversible: true
    image: "\${template.image}"
    command: [echo, "\${inputs.ROUND}"]
`;

/** Rollback reports of the daemon. */
async function returnsOf(installation: Installation, definition_id: string) {
  const { data } = await installation.service.client.call('deployments.list', { query: { definition_id } });
  return data.filter(({ kind }) => kind === 'rollback');
}

async function currentRevision(installation: Installation, id: string): Promise<number> {
  return (await installation.service.client.call('definitions.read', { params: { id } })).data.current_revision;
}

test('after an irreversible job the daemon does not roll back, and reports it', { timeout: 240_000 }, async () => {
  await using installation = await openInstallationWithDaemon({ species: { vine } });
  const { engine } = installation;
  const { definitionId } = await createAndDeploy(installation, 'vine', { species: 'vine', watch_seconds: 60 });
  const sick = await redeploy(installation, definitionId, { ROUND: '2' });
  expect(sick, sick.error ?? '').toMatchObject({ status: 'success', revision: 2 });
  const container = (await engine.inspect('vine'))?.id;
  await sicken(engine, 'vine');
  const returns = () => returnsOf(installation, definitionId);
  await until(async () => (await returns()).length > 0, { describe: 'what the daemon says' });
  expect(await returns()).toEqual([
    expect.objectContaining({ status: 'failed', reason: 'irreversible', rollback_of: sick.id, revision: 1 }),
  ]);
  expect((await returns())[0]?.error).toContain('prune may have changed data');
  expect(await currentRevision(installation, definitionId)).toBe(2);
  // A Swarm replaces the unhealthy task by an equal one.
  if (installation.kind === 'server') expect((await engine.inspect('vine'))?.id).toBe(container);
});

/** Deploys an unhealthy version and kills the daemon during its rollback. */
async function killedOnItsWayBack(installation: Installation, uid: string) {
  // Only the rollback is interrupted: until this note is removed, no moment kills the daemon.
  const note = join(installation.stateOf(), 'killed');
  const dying = installation.startDaemon({
    killAt: installation.kind === 'cluster' ? 'before wait_healthy' : 'before remove_old',
  });
  writeFileSync(note, '');
  await installation.online();
  const inputs = { WEB_HOSTNAME: `${uid}.example.org`, GREETING: 'good' };
  const { definitionId } = await createAndDeploy(installation, uid, {
    species: 'stateless',
    inputs,
    watch_seconds: 60,
  });
  const sick = await redeploy(installation, definitionId, { GREETING: 'bad' });
  expect(sick).toMatchObject({ status: 'success' });
  rmSync(note);
  await sicken(installation.engine, uid);
  expect(await dying.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await returnsOf(installation, definitionId)).toEqual([]);
  const reported = async () => {
    const returns = () => returnsOf(installation, definitionId);
    await until(async () => (await returns()).length > 0, { describe: 'what the daemon says' });
    return await returns();
  };
  return { definitionId, sick, reported };
}

test('a killed daemon resumes its rollback and reports it once', {
  timeout: 240_000,
}, async () => {
  await using installation = await openInstallation();
  const { engine } = installation;
  const { definitionId, sick, reported } = await killedOnItsWayBack(installation, 'back');
  installation.startDaemon();
  expect(await reported()).toEqual([
    expect.objectContaining({ status: 'success', reason: 'unhealthy', rollback_of: sick.id, revision: 1 }),
  ]);
  expect(await currentRevision(installation, definitionId)).toBe(1);
  const containers = await engine.containers({ labels: { 'hortus.instance': 'back' } });
  expect(containers.map(({ name, state }) => `${name} ${state}`)).toEqual(['back running']);
  expect((await engine.inspect('back'))?.labels['hortus.revision']).toBe('1');
});

test('the daemon does not roll back to a version that the operator has forbidden meanwhile', {
  timeout: 240_000,
}, async () => {
  await using installation = await openInstallation();
  const { definitionId, sick, reported } = await killedOnItsWayBack(installation, 'forbidden');
  writeFileSync(join(installation.stateOf(), 'policy.yaml'), 'registries: [images.example.org]\n');
  installation.startDaemon();
  const [refused, ...more] = await reported();
  expect(more).toEqual([]);
  expect(refused).toMatchObject({ status: 'failed', reason: 'refused', rollback_of: sick.id });
  expect(refused?.error).toMatch(/^Refused by the policy of this server: main: .*\(rule registries\)/);
  expect(await currentRevision(installation, definitionId)).toBe(2);
});
