import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { sharedDocker } from '@hortus/testkit/docker';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { inside } from '../docker/installation.ts';
import { expectNothingLost, startWriters } from './counts.ts';
import { startDaemon } from './daemon.ts';
import { follow, notes, ticker } from './followers.ts';
import { openReplicas, type Replicas } from './replicas.ts';

const { DEPLOYMENTS, ACTIONS, FOLLOWERS, ROUNDS } = process.env.HORTUS_TEST_LONG
  ? { DEPLOYMENTS: 50, ACTIONS: 200, FOLLOWERS: 500, ROUNDS: 10 }
  : { DEPLOYMENTS: 8, ACTIONS: 24, FOLLOWERS: 30, ROUNDS: 1 };

/** Instances of the actions: one instance refuses more than a hundred unfinished ones. */
const TARGETS = Math.ceil(ACTIONS / 50);

const FINAL = ['success', 'failed'];

async function define({ client }: Replicas, serverId: string, species: string, uid: string): Promise<string> {
  const body = { species, instance_uid: uid, server_id: serverId, inputs: {} };
  return (await client.call('definitions.create', { body })).data.id;
}

const order = async ({ client }: Replicas, definition_id: string): Promise<string> =>
  (await client.call('deployments.execute', { body: { definition_id } })).data.id;

/** Waits for the end of a deployment and returns its instance. */
async function deployed({ client }: Replicas, id: string): Promise<string> {
  const read = async () => (await client.call('deployments.read', { params: { id } })).data;
  await until(async () => FINAL.includes((await read()).status), { within: 400_000, describe: `the end of ${id}` });
  const { status, error, instance_id } = await read();
  expect(status, error ?? '').toBe('success');
  return instance_id as string;
}

async function act({ client }: Replicas, id: string, line: string): Promise<string> {
  const call = { params: { id, slug: 'note' }, body: { params: { line } } };
  return (await client.call('actions.execute', call)).execution.id;
}

async function endOf({ client }: Replicas, execution_id: string): Promise<string> {
  const read = async () => (await client.call('actions.read', { params: { execution_id } })).execution;
  const isOver = async () => !['pending', 'sent', 'running'].includes((await read()).status);
  await until(isOver, { within: 400_000, describe: `the end of ${execution_id}` });
  return (await read()).status;
}

test(`a failover during ${DEPLOYMENTS} deployments, ${ACTIONS} actions and ${FOLLOWERS} followed logs loses and doubles nothing`, {
  timeout: 300_000 + ROUNDS * 600_000,
}, async () => {
  await using replicas = await openReplicas({ ticker, notes });
  await using daemon = await startDaemon(replicas, 'loaded');
  const engine = openDockerEngine({ socketPath: sharedDocker() });
  const start = async (species: string, uid: string) =>
    deployed(replicas, await order(replicas, await define(replicas, daemon.serverId, species, uid)));
  const targetNames = Array.from({ length: TARGETS }, (_, number) => `load-target-${number}`);
  const source = await start('ticker', 'load-ticker');
  const targets = await Promise.all(targetNames.map((name) => start('notes', name)));
  const definitions: string[] = [];
  for (let number = 0; number < DEPLOYMENTS; number++) {
    definitions.push(await define(replicas, daemon.serverId, 'notes', `load-${number}`));
  }
  const followers = Array.from({ length: FOLLOWERS }, () => follow(replicas.client, source));
  await until(() => followers.every(({ last }) => last > 0), { within: 120_000, describe: 'lines at every follower' });

  for (let round = 1; round <= ROUNDS; round++) {
    const writers = startWriters(replicas, `load-${round}`, 2);
    let acknowledged = 0;
    const counted = async <T>(request: Promise<T>): Promise<T> => {
      const response = await request;
      acknowledged++;
      return response;
    };
    const ordering = definitions.map((id) => counted(order(replicas, id)));
    const acting = Array.from({ length: ACTIONS }, (_, number) =>
      counted(act(replicas, targets[number % TARGETS] as string, `${round}-${number}`)),
    );
    await until(() => acknowledged >= (DEPLOYMENTS + ACTIONS) / 4, { every: 5, describe: 'a quarter of the requests' });
    const killed = await replicas.cluster.primary();
    await replicas.cluster.kill(killed);
    writers.fault();

    const executions = await Promise.all(acting);
    for (const id of await Promise.all(ordering)) await deployed(replicas, id);
    const ends = await Promise.all(executions.map((id) => endOf(replicas, id)));
    expect(ends.filter((end) => end !== 'completed')).toEqual([]);
    const received = Math.max(...followers.map(({ last }) => last));
    await until(() => followers.every(({ last }) => last > received), {
      within: 120_000,
      describe: 'further lines at every follower',
    });
    replicas.cluster.start(killed);
    await replicas.cluster.whole();
    expectNothingLost(`failover under load, round ${round}: requests`, await writers.stop());

    const files = await Promise.all(targetNames.map((name) => inside(engine, name, 'cat', '/data/lines')));
    const lines = files.flatMap((file) => file.trim().split('\n'));
    const ofRound = lines.filter((line) => line.startsWith(`${round}-`));
    const made = await Promise.all(definitions.map((id) => deploymentsOf(replicas, id)));
    const running = await engine.containers({ labels: { 'hortus.server': daemon.serverId } });
    const counts = {
      actions: { lost: ACTIONS - new Set(ofRound).size, doubled: ofRound.length - new Set(ofRound).size },
      deployments: {
        lost: made.filter((count) => count < round).length,
        doubled: made.filter((count) => count > round).length,
      },
      containers: running.length,
      followers: {
        broken: [...new Set(followers.flatMap(({ broken }) => broken))],
        leftOut: followers.reduce((sum, { leftOut }) => sum + leftOut, 0),
      },
    };
    console.log(`failover under load, round ${round}: ${JSON.stringify(counts)}`);
    expect(counts).toEqual({
      actions: { lost: 0, doubled: 0 },
      deployments: { lost: 0, doubled: 0 },
      containers: DEPLOYMENTS + TARGETS + 1,
      // Three lines a second: what a stall delays is far below what the service may send at once.
      followers: { broken: [], leftOut: 0 },
    });
  }
  await Promise.all(followers.map((follower) => follower.leave()));
  engine.close();
});

const deploymentsOf = async ({ client }: Replicas, definition_id: string): Promise<number> =>
  (await client.call('deployments.list', { query: { definition_id, per_page: 1 } })).pagination.total;
