import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import type { Engine } from '@hortus/daemon/engine/engine';
import { startLoad } from '@hortus/testkit/load';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { deploy, finished, type Garden, openGarden, plant, redeploy } from './garden.ts';

/** The first kind runs beside its predecessor, the second has to wait for its end. */
const kinds = ['meadow', 'hedge'] as const;
const LONG = Boolean(process.env.HORTUS_TEST_LONG);
const INSTANTS = LONG ? 200 : 4;
const PATIENCE_MS = 60_000;

/** Exactly one page, served by exactly what it needs. */
async function expectWhole(garden: Garden, engine: Engine, uid: string, greeting: string): Promise<void> {
  const labels = { 'hortus.instance': uid };
  const [containers, networks, volumes] = await Promise.all([
    engine.containers({ labels }),
    engine.networks({ labels }),
    engine.volumes({ labels }),
  ]);
  expect(containers.map(({ name, state }) => `${name} ${state}`)).toEqual([`${uid} running`]);
  const home = containers[0]?.labels['hortus.home'];
  const needed = [`hortus-${uid}`, ...(home ? [home] : [])];
  expect(networks.map(({ name }) => name).sort()).toEqual(needed.sort());
  expect(volumes.map(({ name }) => name)).toEqual(uid.startsWith('hedge') ? [`${uid}_data`] : []);
  const upstreams = join(garden.stateOf(), 'ingress/upstreams');
  const own = readdirSync(upstreams).filter((name) => name.startsWith(`${uid}.`));
  expect(own.map((name) => readdirSync(join(upstreams, name)).length)).toEqual([1]);
  expect(await shown(garden, uid)).toBe(greeting);
}

async function shown(garden: Garden, uid: string): Promise<string | undefined> {
  const load = startLoad({ port: garden.httpPort, host: `${uid}.example.org`, clients: 1 });
  await until(() => load.result.answered > 0, { describe: () => `an answer: ${load.result.failures.at(-1)}` });
  const { bodies } = await load.stop();
  return [...bodies.keys()].at(-1);
}

for (const kind of kinds) {
  test(`kill -9 of the daemon at every step of the rollout of a ${kind}`, { timeout: 600_000 }, async () => {
    await using garden = await openGarden();
    const engine = openDockerEngine({ socketPath: garden.socketPath });
    const uid = `${kind}-steps`;
    const { definitionId, moments } = await enumerate(garden, kind, uid);
    let daemon = garden.startDaemon({ killAt: moments[0] as string });
    for (const [index, moment] of moments.entries()) {
      rmSync(join(garden.stateOf(), 'killed'), { force: true });
      await garden.online();
      const inputs = { GREETING: `${index} ${moment}` };
      await garden.service.client.call('definitions.update', { params: { id: definitionId }, body: { inputs } });
      const id = await deploy(garden, definitionId);
      expect(await daemon.exited, moment).toEqual({ code: null, signal: 'SIGKILL' });
      // It goes on with what the dead one left; for the next moment it is ready when the note of this kill is gone.
      daemon = garden.startDaemon({ killAt: moments[index + 1] ?? 'never' });
      expect(await finished(garden, id, PATIENCE_MS), moment).toMatchObject({ status: 'success' });
      await expectWhole(garden, engine, uid, inputs.GREETING);
    }
    engine.close();
  });
}

/** Which moments there are is seen in a rollout that nobody disturbs. */
async function enumerate(garden: Garden, species: string, uid: string) {
  const daemon = garden.startDaemon({ killAt: 'never' });
  await garden.online();
  const inputs = { WEB_HOSTNAME: `${uid}.example.org` };
  const { definitionId } = await plant(garden, uid, { species, inputs });
  const file = join(garden.stateOf(), 'moments');
  rmSync(file);
  expect(await redeploy(garden, definitionId, { GREETING: 'undisturbed' })).toMatchObject({ status: 'success' });
  await until(() => readFileSync(file, 'utf8').includes('after finish'), { describe: 'the last moment' });
  await daemon.kill();
  const list = [...new Set(readFileSync(file, 'utf8').trim().split('\n'))];
  // The end of a step and the beginning of the next are nearly the same to the engine; the very last one has no next.
  const moments = list.filter((moment) => LONG || moment.startsWith('before') || moment === 'after finish');
  expect(moments).toEqual(expect.arrayContaining(['before create', 'before route', 'before switch', 'after finish']));
  return { definitionId, moments };
}

test(`kill -9 of the daemon at ${INSTANTS} random instants of rollouts`, { timeout: INSTANTS * 30_000 }, async () => {
  await using garden = await openGarden();
  const engine = openDockerEngine({ socketPath: garden.socketPath });
  let daemon = garden.startDaemon();
  await garden.online();
  const planted = await Promise.all(
    kinds.map(async (species) => {
      const uid = `${species}-instants`;
      return { uid, ...(await plant(garden, uid, { species, inputs: { WEB_HOSTNAME: `${uid}.example.org` } })) };
    }),
  );
  for (let round = 0; round < INSTANTS / kinds.length; round++) {
    const greeting = `round ${round}`;
    const orders = await Promise.all(
      planted.map(async ({ definitionId: id }) => {
        const body = { inputs: { GREETING: greeting } };
        await garden.service.client.call('definitions.update', { params: { id }, body });
        return await deploy(garden, id);
      }),
    );
    await sleep(Math.random() * 3_000);
    await daemon.kill('SIGKILL');
    daemon = garden.startDaemon();
    for (const id of orders) expect(await finished(garden, id, PATIENCE_MS)).toMatchObject({ status: 'success' });
    for (const { uid } of planted) await expectWhole(garden, engine, uid, greeting);
  }
  engine.close();
});
