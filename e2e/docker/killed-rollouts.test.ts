import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@hortus/testkit/seeded-random';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { expectConsistentSite } from './consistent-site.ts';
import { createAndDeploy, deploy, finished, type Installation, openInstallation, redeploy } from './installation.ts';
import { onSwarm } from './on-swarm.ts';

/** The first runs next to its predecessor, the second must wait for its end. */
const kinds = ['stateless', 'stateful'] as const;
const LONG = Boolean(process.env.HORTUS_TEST_LONG);
const INSTANTS = LONG ? 200 : 20;
/** Number of concurrent rollouts when the daemon is killed, each at another step. */
const AT_ONCE = 4;
const SEED = Number(process.env.HORTUS_TEST_SEED ?? 3);
const TIMEOUT_MS = 120_000;

/** Some steps of every rollout, and the end of the last one. */
const STEPS = onSwarm
  ? (['before files', 'before start', 'before wait_healthy', 'after wait_healthy'] as const)
  : (['before create', 'before route', 'before switch', 'after finish'] as const);
const LAST = STEPS[3];

for (const kind of kinds) {
  test(`kill -9 of the daemon at every step of the rollout of a ${kind}`, { timeout: 600_000 }, async () => {
    await using installation = await openInstallation();
    const { engine } = installation;
    const uid = `${kind}-steps`;
    const { definitionId, moments } = await enumerate(installation, kind, uid);
    let daemon = installation.startDaemon({ killAt: moments[0] as string });
    for (const [index, moment] of moments.entries()) {
      rmSync(join(installation.stateOf(), 'killed'), { force: true });
      await installation.online();
      const inputs = { GREETING: `${index} ${moment}` };
      await installation.service.client.call('definitions.update', { params: { id: definitionId }, body: { inputs } });
      const id = await deploy(installation, definitionId);
      expect(await daemon.exited, moment).toEqual({ code: null, signal: 'SIGKILL' });
      // Resumes the rollout; ready for the next moment once the note of this kill is gone.
      daemon = installation.startDaemon({ killAt: moments[index + 1] ?? 'never' });
      expect(await finished(installation, id, TIMEOUT_MS), moment).toMatchObject({ status: 'success' });
      await expectConsistentSite(installation, engine, uid, inputs.GREETING);
    }
  });
}

/** Collects all moments from an undisturbed rollout. */
async function enumerate(installation: Installation, species: string, uid: string) {
  const daemon = installation.startDaemon({ killAt: 'never' });
  await installation.online();
  const inputs = { WEB_HOSTNAME: `${uid}.example.org` };
  const { definitionId } = await createAndDeploy(installation, uid, { species, inputs });
  rmSync(join(installation.stateOf(), 'moments'));
  expect(await redeploy(installation, definitionId, { GREETING: 'undisturbed' })).toMatchObject({ status: 'success' });
  await until(() => momentsOf(installation).includes(LAST), { describe: 'the last moment' });
  await daemon.kill();
  const list = [...new Set(momentsOf(installation))];
  // The end of a step and the start of the next are nearly the same for the engine; the last step has no next.
  const moments = list.filter((moment) => LONG || moment.startsWith('before') || moment === LAST);
  expect(moments).toEqual(expect.arrayContaining([...STEPS]));
  return { definitionId, moments };
}

test(`kill -9 of the daemon at ${INSTANTS} random instants of rollouts (seed ${SEED})`, {
  timeout: 240_000 + INSTANTS * 30_000,
}, async () => {
  await using installation = await openInstallation();
  const { engine } = installation;
  const random = seededRandom(SEED);
  let daemon = installation.startDaemon({ killAt: 'never' });
  await installation.online();
  const deployed = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, index) => {
      const species = kinds[index % kinds.length] as string;
      const uid = `${species}-instants-${index}`;
      return {
        uid,
        ...(await createAndDeploy(installation, uid, { species, inputs: { WEB_HOSTNAME: `${uid}.example.org` } })),
      };
    }),
  );
  const order = (greeting: string) =>
    Promise.all(
      deployed.map(async ({ definitionId: id }) => {
        const body = { inputs: { GREETING: greeting } };
        await installation.service.client.call('definitions.update', { params: { id }, body });
        return await deploy(installation, id);
      }),
    );
  const successOf = async (orders: string[]) => {
    for (const id of orders) expect(await finished(installation, id, TIMEOUT_MS)).toMatchObject({ status: 'success' });
  };
  const before = momentsOf(installation).length;
  await successOf(await order('undisturbed'));
  const all = momentsOf(installation).length - before;
  for (let round = 0; round < INSTANTS / AT_ONCE; round++) {
    // Progress is measured by passed moments, not by time, so that a slow machine is hit in the middle too.
    const wanted = momentsOf(installation).length + Math.floor(random() * all);
    const orders = await order(`round ${round}`);
    await until(() => momentsOf(installation).length >= wanted, {
      within: TIMEOUT_MS,
      every: 1,
      describe: 'the instant',
    });
    await sleep(random() * 50);
    await daemon.kill('SIGKILL');
    daemon = installation.startDaemon({ killAt: 'never' });
    await successOf(orders);
    for (const { uid } of deployed) await expectConsistentSite(installation, engine, uid, `round ${round}`);
  }
});

/** Moments passed by the rollouts of a daemon that will be killed. */
const momentsOf = (installation: Installation): string[] =>
  readFileSync(join(installation.stateOf(), 'moments'), 'utf8').trim().split('\n');
