import { rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { sharedDocker } from '@hortus/testkit/docker';
import { askDocker } from '@hortus/testkit/docker-request';
import { canStartPodman, startPodman } from '@hortus/testkit/podman';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { expectConsistentSite } from './consistent-site.ts';
import { createAndDeploy, type Installation, openInstallation, openInstallationWithDaemon } from './installation.ts';

/** Manual changes to containers, and the expected drift reports. */
interface Meddling {
  readonly species: 'website' | 'stateless';
  readonly field: string;
  meddle(socketPath: string, uid: string): Promise<unknown>;
}

const docker = async (socketPath: string, method: 'POST' | 'DELETE', path: string, body?: object) => {
  const { status, text } = await askDocker(socketPath, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
};

const meddlings: Record<string, Meddling> = {
  removed: {
    species: 'stateless',
    field: 'component',
    meddle: (socket, uid) => docker(socket, 'DELETE', `/containers/${uid}?force=true`),
  },
  limited: {
    species: 'website',
    field: 'limits.memory',
    meddle: (socket, uid) =>
      docker(socket, 'POST', `/containers/${uid}/update`, { Memory: 2 ** 27, MemorySwap: 2 ** 28 }),
  },
  unplugged: {
    species: 'stateless',
    field: 'networks.hortus-unplugged',
    meddle: (socket, uid) =>
      docker(socket, 'POST', `/networks/hortus-${uid}/disconnect`, { Container: uid, Force: true }),
  },
  crowded: {
    species: 'stateless',
    field: 'component',
    async meddle(socketPath, uid) {
      const engine = openDockerEngine({ socketPath });
      const original = await engine.inspect(uid);
      engine.close();
      const body = { Image: original?.image, Labels: original?.labels, Cmd: ['sleep', '1000'] };
      await docker(socketPath, 'POST', `/containers/create?name=${uid}-stray`, body);
      await docker(socketPath, 'POST', `/containers/${uid}-stray/start`);
    },
  },
};

async function instanceOf(installation: Installation, id: string) {
  return (await installation.service.client.call('instances.read', { params: { id } })).data;
}

async function deployAll(installation: Installation, heal: boolean, names: readonly string[] = Object.keys(meddlings)) {
  const deployed = [];
  for (const uid of names) {
    const species = meddlings[uid]?.species ?? 'website';
    const inputs: Record<string, string> = species === 'stateless' ? { WEB_HOSTNAME: `${uid}.example.org` } : {};
    deployed.push({ uid, ...(await createAndDeploy(installation, uid, { species, inputs, heal })) });
  }
  return deployed;
}

/** Returns the HTTP status of its page through the ingress. */
const served = (installation: Installation, uid: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { host: `${uid}.example.org` };
    const request = get({ host: '127.0.0.1', port: installation.httpPort, headers, agent: false });
    request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
  });

const fieldsOf = async (installation: Installation, id: string) =>
  (await instanceOf(installation, id)).drift.map(({ field }) => field);

test('with heal off, manual changes are reported and left alone', { timeout: 300_000 }, async () => {
  await using installation = await openInstallationWithDaemon({}, { driftEvery: 1 });
  const { engine, socketPath } = installation;
  const deployed = await deployAll(installation, false);
  for (const { uid } of deployed) await meddlings[uid]?.meddle(socketPath, uid);
  for (const { uid, instanceId } of deployed) {
    const field = meddlings[uid]?.field ?? '';
    await until(async () => (await fieldsOf(installation, instanceId)).includes(field), {
      describe: `${field} of ${uid}`,
    });
  }
  const { data } = await installation.service.client.call('deployments.list', { query: { per_page: 100 } });
  expect(data.map(({ kind }) => kind)).toEqual(deployed.map(() => 'deploy'));
  expect(await engine.inspect('removed')).toBeUndefined();
  expect((await engine.inspect('limited'))?.limits.memoryBytes).toBe(2 ** 27);
  expect((await engine.inspect('crowded-stray'))?.state).toBe('running');
  // Drift that is undone manually disappears.
  const limited = deployed.find(({ uid }) => uid === 'limited');
  await docker(socketPath, 'POST', '/containers/limited/update', { Memory: 2 ** 26, MemorySwap: 2 ** 27 });
  await until(async () => (await instanceOf(installation, limited?.instanceId ?? '')).drifted_at === null, {
    describe: 'the end of the drift',
  });
});

const healsOn = async (socketPath: string, names: readonly string[]) => {
  await using installation = await openInstallationWithDaemon({ socketPath }, { driftEvery: 1 });
  const { engine } = installation;
  const deployed = await deployAll(installation, true, names);
  const { instanceId: witness } = await createAndDeploy(installation, 'witness', { heal: true });
  const before = new Map<string, string | undefined>();
  for (const uid of [...names, 'witness']) before.set(uid, (await engine.inspect(uid))?.id);
  for (const { uid } of deployed) await meddlings[uid]?.meddle(socketPath, uid);
  for (const { uid, definitionId, instanceId } of deployed) {
    const healed = async () => {
      const query = { definition_id: definitionId, status: 'success' as const };
      const { data } = await installation.service.client.call('deployments.list', { query });
      // The health is reported with the next check, possibly after the deployment has finished.
      const { drifted_at, health } = await instanceOf(installation, instanceId);
      return data.some(({ kind }) => kind === 'heal') && drifted_at === null && health === 'healthy';
    };
    await until(healed, { describe: `${uid} to be healed` });
    const { data } = await installation.service.client.call('deployments.list', {
      query: { definition_id: definitionId },
    });
    expect(data.map(({ kind, revision }) => `${kind} ${revision}`)).toEqual(['heal 1', 'deploy 1']);
    expect(await instanceOf(installation, instanceId)).toMatchObject({ status: 'running', drift: [] });
  }
  const now = async (uid: string) => (await engine.inspect(uid))?.id;
  expect(await now('removed')).not.toBe(before.get('removed'));
  if (names.includes('limited')) expect((await engine.inspect('limited'))?.limits.memoryBytes).toBe(2 ** 26);
  // It was only reconnected and kept running.
  expect(await now('unplugged')).toBe(before.get('unplugged'));
  expect(await engine.inspect('crowded-stray')).toBeUndefined();
  expect(await now('crowded')).toBe(before.get('crowded'));
  expect(await now('witness')).toBe(before.get('witness'));
  expect(await instanceOf(installation, witness)).toMatchObject({ drift: [], drifted_at: null });
  for (const uid of ['removed', 'unplugged', 'crowded']) expect(await served(installation, uid), uid).toBe(200);
};

const everything = Object.keys(meddlings);
test('with heal on, drift is undone and nothing else is touched', { timeout: 240_000 }, () =>
  healsOn(sharedDocker(), everything),
);

if (canStartPodman)
  test('drift is reported and healed on Podman', { timeout: 500_000 }, async () => {
    await using podman = await startPodman();
    // This Podman version cannot change the limits of a container.
    await healsOn(
      podman.socketPath,
      everything.filter((name) => name !== 'limited'),
    );
  });

test('after kill -9 during healing, the next daemon completes it', { timeout: 300_000 }, async () => {
  await using installation = await openInstallation();
  const { engine, socketPath } = installation;
  let daemon = installation.startDaemon();
  await installation.online();
  // One instance per moment, because a healed instance has a cool-down.
  for (const moment of ['before create', 'before start', 'before switch']) {
    const uid = `stateless-${moment.replace(' ', '-')}`;
    const inputs = { WEB_HOSTNAME: `${uid}.example.org`, GREETING: moment };
    const { definitionId, instanceId } = await createAndDeploy(installation, uid, {
      species: 'stateless',
      inputs,
      heal: true,
    });
    await daemon.kill();
    rmSync(join(installation.stateOf(), 'killed'), { force: true });
    daemon = installation.startDaemon({ killAt: moment, driftEvery: 1 });
    await installation.online();
    await docker(socketPath, 'DELETE', `/containers/${uid}?force=true`);
    expect(await daemon.exited, moment).toEqual({ code: null, signal: 'SIGKILL' });
    daemon = installation.startDaemon({ driftEvery: 1 });
    const deployments = async () => {
      const query = { definition_id: definitionId };
      const { data } = await installation.service.client.call('deployments.list', { query });
      return data.map(({ kind, status }) => `${kind} ${status}`);
    };
    const healed = async () => {
      const { drifted_at, health } = await instanceOf(installation, instanceId);
      return drifted_at === null && health === 'healthy' && (await deployments()).includes('heal success');
    };
    await until(healed, { describe: `the end of what was killed ${moment}` });
    await expectConsistentSite(installation, engine, uid, moment);
    // The heal was completed, and no second one was started.
    expect(await deployments()).toEqual(['heal success', 'deploy success']);
  }
});
