import { rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { sharedDocker } from '@hortus/testkit/docker';
import { askDocker } from '@hortus/testkit/docker-request';
import { canStartPodman, startPodman } from '@hortus/testkit/podman';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { type Garden, openGarden, openTendedGarden, plant } from './garden.ts';
import { expectWhole } from './whole.ts';

/** What people do to containers behind our back, and what is said of it. */
interface Meddling {
  readonly species: 'plot' | 'meadow';
  readonly field: string;
  meddle(socketPath: string, uid: string): Promise<unknown>;
}

const docker = async (socketPath: string, method: 'POST' | 'DELETE', path: string, body?: object) => {
  const { status, text } = await askDocker(socketPath, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
};

const meddlings: Record<string, Meddling> = {
  removed: {
    species: 'meadow',
    field: 'component',
    meddle: (socket, uid) => docker(socket, 'DELETE', `/containers/${uid}?force=true`),
  },
  limited: {
    species: 'plot',
    field: 'limits.memory',
    meddle: (socket, uid) =>
      docker(socket, 'POST', `/containers/${uid}/update`, { Memory: 2 ** 27, MemorySwap: 2 ** 28 }),
  },
  unplugged: {
    species: 'meadow',
    field: 'networks.hortus-unplugged',
    meddle: (socket, uid) =>
      docker(socket, 'POST', `/networks/hortus-${uid}/disconnect`, { Container: uid, Force: true }),
  },
  crowded: {
    species: 'meadow',
    field: 'component',
    async meddle(socketPath, uid) {
      const engine = openDockerEngine({ socketPath });
      const original = await engine.inspect(uid);
      engine.close();
      const body = { Image: original?.image, Labels: original?.labels, Cmd: ['sleep', '1000'] };
      await docker(socketPath, 'POST', `/containers/create?name=${uid}-weed`, body);
      await docker(socketPath, 'POST', `/containers/${uid}-weed/start`);
    },
  },
};

async function instanceOf(garden: Garden, id: string) {
  return (await garden.service.client.call('instances.read', { params: { id } })).data;
}

async function plantAll(garden: Garden, heal: boolean, names: readonly string[] = Object.keys(meddlings)) {
  const planted = [];
  for (const uid of names) {
    const species = meddlings[uid]?.species ?? 'plot';
    const inputs: Record<string, string> = species === 'meadow' ? { WEB_HOSTNAME: `${uid}.example.org` } : {};
    planted.push({ uid, ...(await plant(garden, uid, { species, inputs, heal })) });
  }
  return planted;
}

/** The status of its page, through the ingress. */
const served = (garden: Garden, uid: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { host: `${uid}.example.org` };
    const request = get({ host: '127.0.0.1', port: garden.httpPort, headers, agent: false });
    request.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
  });

const fieldsOf = async (garden: Garden, id: string) => (await instanceOf(garden, id)).drift.map(({ field }) => field);

test('what somebody does to containers is shown and left alone with heal off', { timeout: 300_000 }, async () => {
  await using garden = await openTendedGarden({}, { driftEvery: 1 });
  const { engine, socketPath } = garden;
  const planted = await plantAll(garden, false);
  for (const { uid } of planted) await meddlings[uid]?.meddle(socketPath, uid);
  for (const { uid, instanceId } of planted) {
    const field = meddlings[uid]?.field ?? '';
    await until(async () => (await fieldsOf(garden, instanceId)).includes(field), {
      describe: `${field} of ${uid}`,
    });
  }
  const { data } = await garden.service.client.call('deployments.list', { query: { per_page: 100 } });
  expect(data.map(({ kind }) => kind)).toEqual(planted.map(() => 'deploy'));
  expect(await engine.inspect('removed')).toBeUndefined();
  expect((await engine.inspect('limited'))?.limits.memoryBytes).toBe(2 ** 27);
  expect((await engine.inspect('crowded-weed'))?.state).toBe('running');
  // Whoever undoes it himself need not be told any more.
  const limited = planted.find(({ uid }) => uid === 'limited');
  await docker(socketPath, 'POST', '/containers/limited/update', { Memory: 2 ** 26, MemorySwap: 2 ** 27 });
  await until(async () => (await instanceOf(garden, limited?.instanceId ?? '')).drifted_at === null, {
    describe: 'the end of the drift',
  });
});

const healsOn = async (socketPath: string, names: readonly string[]) => {
  await using garden = await openTendedGarden({ socketPath }, { driftEvery: 1 });
  const { engine } = garden;
  const planted = await plantAll(garden, true, names);
  const { instanceId: witness } = await plant(garden, 'witness', { heal: true });
  const before = new Map<string, string | undefined>();
  for (const uid of [...names, 'witness']) before.set(uid, (await engine.inspect(uid))?.id);
  for (const { uid } of planted) await meddlings[uid]?.meddle(socketPath, uid);
  for (const { uid, definitionId, instanceId } of planted) {
    const healed = async () => {
      const query = { definition_id: definitionId, status: 'success' as const };
      const { data } = await garden.service.client.call('deployments.list', { query });
      // What its health is comes with the next look at it, which may be after the end of the deployment.
      const { drifted_at, health } = await instanceOf(garden, instanceId);
      return data.some(({ kind }) => kind === 'heal') && drifted_at === null && health === 'healthy';
    };
    await until(healed, { describe: `${uid} to be healed` });
    const { data } = await garden.service.client.call('deployments.list', { query: { definition_id: definitionId } });
    expect(data.map(({ kind, revision }) => `${kind} ${revision}`)).toEqual(['heal 1', 'deploy 1']);
    expect(await instanceOf(garden, instanceId)).toMatchObject({ status: 'running', drift: [] });
  }
  const now = async (uid: string) => (await engine.inspect(uid))?.id;
  expect(await now('removed')).not.toBe(before.get('removed'));
  if (names.includes('limited')) expect((await engine.inspect('limited'))?.limits.memoryBytes).toBe(2 ** 26);
  // It was only put back where it belongs, and went on running.
  expect(await now('unplugged')).toBe(before.get('unplugged'));
  expect(await engine.inspect('crowded-weed')).toBeUndefined();
  expect(await now('crowded')).toBe(before.get('crowded'));
  expect(await now('witness')).toBe(before.get('witness'));
  expect(await instanceOf(garden, witness)).toMatchObject({ drift: [], drifted_at: null });
  for (const uid of ['removed', 'unplugged', 'crowded']) expect(await served(garden, uid), uid).toBe(200);
};

const everything = Object.keys(meddlings);
test('with heal on it is undone, and nothing else is touched', { timeout: 240_000 }, () =>
  healsOn(sharedDocker(), everything),
);

if (canStartPodman)
  test('the same on Podman', { timeout: 500_000 }, async () => {
    await using podman = await startPodman();
    // This Podman has no call to change the limits of a container.
    await healsOn(
      podman.socketPath,
      everything.filter((name) => name !== 'limited'),
    );
  });

test('kill -9 of the daemon in the middle of healing: the next one ends it', { timeout: 300_000 }, async () => {
  await using garden = await openGarden();
  const { engine, socketPath } = garden;
  let daemon = garden.startDaemon();
  await garden.online();
  // One instance for each: what had to be healed just now is left alone for a while.
  for (const moment of ['before create', 'before start', 'before switch']) {
    const uid = `meadow-${moment.replace(' ', '-')}`;
    const inputs = { WEB_HOSTNAME: `${uid}.example.org`, GREETING: moment };
    const { definitionId, instanceId } = await plant(garden, uid, { species: 'meadow', inputs, heal: true });
    await daemon.kill();
    rmSync(join(garden.stateOf(), 'killed'), { force: true });
    daemon = garden.startDaemon({ killAt: moment, driftEvery: 1 });
    await garden.online();
    await docker(socketPath, 'DELETE', `/containers/${uid}?force=true`);
    expect(await daemon.exited, moment).toEqual({ code: null, signal: 'SIGKILL' });
    daemon = garden.startDaemon({ driftEvery: 1 });
    const deployments = async () => {
      const query = { definition_id: definitionId };
      const { data } = await garden.service.client.call('deployments.list', { query });
      return data.map(({ kind, status }) => `${kind} ${status}`);
    };
    const healed = async () => {
      const { drifted_at, health } = await instanceOf(garden, instanceId);
      return drifted_at === null && health === 'healthy' && (await deployments()).includes('heal success');
    };
    await until(healed, { describe: `the end of what was killed ${moment}` });
    await expectWhole(garden, engine, uid, moment);
    // It was ended, and none was begun beside it.
    expect(await deployments()).toEqual(['heal success', 'deploy success']);
  }
});
