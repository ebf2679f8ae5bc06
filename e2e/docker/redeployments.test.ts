import type { Engine } from '@hortus/daemon/engine/engine';
import { startLoad } from '@hortus/testkit/load';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { createAndDeploy, inside, openInstallationWithDaemon, redeploy, sicken } from './installation.ts';
import { onSwarm } from './on-swarm.ts';

/** Number of gap measurements. */
const ROUNDS = Array.from({ length: process.env.HORTUS_TEST_LONG ? 9 : 4 }, (_, round) => `round ${round}`);
/** The claim holds on an idle machine; the short run shares it with other tests. */
const LIMIT = process.env.HORTUS_TEST_LONG ? 1.5 : 3;
const TIMES = process.env.HORTUS_TEST_LONG ? 50 : 10;

test(`a page redeployed ${TIMES} times under constant load loses no request, even with a broken version in between`, {
  timeout: TIMES * 20_000 + 60_000,
}, async () => {
  await using installation = await openInstallationWithDaemon();
  const host = 'stateless.example.org';
  const { definitionId } = await createAndDeploy(installation, 'stateless', {
    species: 'stateless',
    inputs: { WEB_HOSTNAME: host },
  });
  const load = startLoad({ port: installation.httpPort, host });
  for (let round = 1; round <= TIMES; round++) {
    const { status, gap_ms, error } = await redeploy(installation, definitionId, { GREETING: `round ${round}` });
    expect({ status, gap_ms, error }).toEqual({ status: 'success', gap_ms: 0, error: null });
    await until(() => load.result.bodies.has(`round ${round}`), { describe: `an answer of round ${round}` });
    if (round !== Math.ceil(TIMES / 2)) continue;
    const broken = { GREETING: 'broken', HEALTH_PATH: '/nothing-here' };
    expect(await redeploy(installation, definitionId, broken)).toMatchObject({ status: 'failed', reason: 'unhealthy' });
    await installation.service.client.call('definitions.update', {
      params: { id: definitionId },
      body: { inputs: { HEALTH_PATH: '/' } },
    });
  }
  const { failures, bodies, responded } = await load.stop();
  expect(failures).toEqual([]);
  expect(bodies.has('broken')).toBe(false);
  expect(responded).toBeGreaterThan(TIMES * 50);
});

test('two replicas behind one route are replaced without a lost request', { timeout: 300_000 }, async () => {
  await using installation = await openInstallationWithDaemon();
  const host = 'two-replicas.example.org';
  const { definitionId } = await createAndDeploy(installation, 'two-replicas', {
    species: 'two-replicas',
    inputs: { WEB_HOSTNAME: host },
  });
  const load = startLoad({ port: installation.httpPort, host });
  for (const word of ['one', 'two']) {
    expect(await redeploy(installation, definitionId, { GREETING: word })).toMatchObject({
      status: 'success',
      gap_ms: 0,
    });
  }
  expect((await load.stop()).failures).toEqual([]);
  const { engine } = installation;
  const containers = await engine.containers({ labels: { 'hortus.instance': 'two-replicas' } });
  expect(containers.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
    'two-replicas running',
    'two-replicas.2 running',
  ]);
});

test(`a page with a volume reports its downtime, which is less than ${LIMIT} times a bare stop and start`, {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallationWithDaemon();
  const { engine } = installation;
  const host = 'stateful.example.org';
  const { definitionId } = await createAndDeploy(installation, 'stateful', {
    species: 'stateful',
    inputs: { WEB_HOSTNAME: host },
  });
  const gaps: number[] = [];
  const bare: number[] = [];
  for (const round of ROUNDS) {
    const { status, gap_ms, logs } = await redeploy(installation, definitionId, { GREETING: round });
    expect(status).toBe('success');
    expect(logs.map(({ message }) => message).join('\n')).toMatch(/downtime \d+ ms/);
    gaps.push(gap_ms ?? expect.fail('no gap was reported'));
    bare.push(await stoppedAndStarted(engine, 'stateful'));
  }
  // Compares the minima, because other load only adds to them.
  expect(Math.min(...gaps), `${gaps} against ${bare}`).toBeGreaterThan(0);
  expect(Math.min(...gaps), `${gaps} against ${bare}`).toBeLessThan(LIMIT * Math.min(...bare));
});

/** Time that the engine alone needs until the same container serves again. */
async function stoppedAndStarted(engine: Engine, name: string): Promise<number> {
  const begun = performance.now();
  await engine.stop(name, 0);
  await engine.start(name);
  const { networks } = (await engine.inspect(name)) ?? expect.fail('no container');
  // Only the node of a cluster reaches its tasks.
  const responds = async () =>
    onSwarm
      ? (await inside(engine, name, 'wget', '-q', '-O', '-', 'http://127.0.0.1:8080/')) !== ''
      : (await fetch(`http://${networks[0]?.address}:8080/`)).ok;
  await until(responds, { describe: 'the page', every: 5 });
  return performance.now() - begun;
}

test('the daemon rolls back a deployment that becomes unhealthy after success, and reports it', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallationWithDaemon();
  const inputs = { WEB_HOSTNAME: 'trial.example.org', GREETING: 'good' };
  const { definitionId } = await createAndDeploy(installation, 'trial', {
    species: 'stateless',
    inputs,
    watch_seconds: 60,
  });
  const sick = await redeploy(installation, definitionId, { GREETING: 'bad' });
  expect(sick).toMatchObject({ status: 'success' });
  await sicken(installation.engine, 'trial');
  const { client } = installation.service;
  const listed = async () =>
    (await client.call('deployments.list', { query: { definition_id: definitionId } })).data.find(
      ({ kind }) => kind === 'rollback',
    );
  await until(async () => (await listed()) !== undefined, { describe: 'the rollback' });
  expect(await listed()).toMatchObject({ status: 'success', rollback_of: sick.id, revision: 1, reason: 'unhealthy' });
  const { data: definition } = await client.call('definitions.read', { params: { id: definitionId } });
  expect(definition.current_revision).toBe(1);
  const load = startLoad({ port: installation.httpPort, host: 'trial.example.org', clients: 1 });
  await until(() => load.result.responded > 3, { describe: 'answers' });
  expect([...(await load.stop()).bodies.keys()]).toEqual(['good']);
  const reported = async () => {
    const { data: events } = await client.call('events.list', { query: { per_page: 100 } });
    return events.filter(({ data }) => JSON.stringify(data).includes('"rollback"')).map(({ type }) => type);
  };
  await until(async () => (await reported()).length >= 2, { describe: 'the events of the rollback to be numbered' });
  expect((await reported()).sort()).toEqual(['deployment.started', 'deployment.success']);
});
