import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProblem } from '@hortus/client/problem';
import { seededRandom } from '@hortus/testkit/seeded-random';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { act, createAndDeploy, ended, finished, type Installation, inside, openInstallation } from './installation.ts';

const [DEPLOYMENTS, ACTIONS] = process.env.HORTUS_TEST_LONG ? [200, 500] : [20, 50];
const SEED = Number(process.env.HORTUS_TEST_SEED ?? 3);
/** Average number of observed events between two kills. */
const SIGNS_BETWEEN_KILLS = 20;
/** Generous, because many kills in a row can delay the end. */
const TIMEOUT_MS = DEPLOYMENTS * 25_000;
/** Redeployed repeatedly while actions run. */
const redeployed = Array.from({ length: 8 }, (_, number) => `killed-redeployed-${number}`);
/** Never redeployed, so that every action has a container to run in. */
const untouched = ['killed-untouched-1', 'killed-untouched-2'];

interface Line {
  readonly text: string;
  readonly uid: string;
  readonly executionId: string;
}

test(`kill -9 of service and daemon over ${DEPLOYMENTS} deployments and ${ACTIONS} actions (seed ${SEED})`, {
  timeout: DEPLOYMENTS * 30_000,
}, async () => {
  await using installation = await openInstallation();
  let daemon = installation.startDaemon();
  await installation.online();
  const uids = [...redeployed, ...untouched];
  const deployed = new Map(
    await Promise.all(uids.map(async (uid) => [uid, await createAndDeploy(installation, uid)] as const)),
  );
  const of = (uid: string) => deployed.get(uid) ?? expect.fail(uid);
  const random = seededRandom(SEED);
  const signs = new Signs();
  const deployments: string[] = [];
  const lines: Line[] = [];

  const redeployRepeatedly = async (uid: string, times: number) => {
    const { definitionId: id } = of(uid);
    for (let round = 1; round <= times; round++) {
      await insist(() =>
        installation.service.client.call('definitions.update', { params: { id }, body: greeting(round) }),
      );
      const order = { body: { definition_id: id }, idempotencyKey: randomUUID() };
      const { data } = await insist(() => installation.service.client.call('deployments.execute', order));
      deployments.push(data.id);
      await followDeployment(installation, data.id, signs);
    }
  };
  const write = async (uid: string, times: number) => {
    for (let number = 1; number <= times; number++) {
      const text = `${uid} ${number}`;
      const params = { id: of(uid).instanceId, slug: 'note' };
      const order = { params, body: { params: { line: text } }, idempotencyKey: randomUUID() };
      const { execution } = await insist(() => installation.service.client.call('actions.execute', order));
      lines.push({ text, uid, executionId: execution.id });
      await followExecution(installation, execution.id, signs);
    }
  };

  let busy = true;
  const kills = { service: 0, daemon: 0 };
  const killing = (async () => {
    for (;;) {
      const wanted = signs.count + 1 + Math.floor(random() * 2 * SIGNS_BETWEEN_KILLS);
      while (busy && signs.count < wanted) await sleep(5);
      if (!busy) break;
      // Kills between two events as well as right after one.
      await sleep(random() * 150);
      const both = random() < 0.2;
      const service = both || random() < 0.5;
      if (service) {
        kills.service++;
        await installation.service.process.kill('SIGKILL');
      }
      if (both || !service) {
        kills.daemon++;
        await daemon.kill('SIGKILL');
        daemon = installation.startDaemon();
      }
      if (service) await installation.restartService();
      await installation.online();
    }
  })();
  const share = (all: number, among: string[], index: number) =>
    Math.floor(all / among.length) + (index < all % among.length ? 1 : 0);
  await Promise.all([
    ...redeployed.map((uid, index) => redeployRepeatedly(uid, share(DEPLOYMENTS, redeployed, index))),
    ...uids.map((uid, index) => write(uid, share(ACTIONS, uids, index))),
  ]).finally(() => {
    busy = false;
  });
  await killing;

  expect(deployments).toHaveLength(DEPLOYMENTS);
  expect(lines).toHaveLength(ACTIONS);
  for (const id of deployments) {
    const { status, error, logs } = await finished(installation, id);
    expect(status, `${error}\n${logs.map(({ message }) => message).join('\n')}`).toBe('success');
  }
  const { engine } = installation;
  const written = new Map<string, string[]>();
  for (const uid of uids) written.set(uid, (await inside(engine, uid, 'cat', '/data/lines')).split('\n'));
  for (const { text, uid, executionId } of lines) {
    const { status, exit_code, output, error } = await ended(installation, executionId);
    const times = written.get(uid)?.filter((line) => line === text).length ?? 0;
    if (status === 'completed') expect({ text, times, exit_code, output }).toEqual(right(text));
    else expect(times, `${text} ended ${status}: ${error}`).toBeLessThanOrEqual(1);
    // A redeployed instance may lack a container for a moment; the others never do.
    if (untouched.includes(uid)) expect(status, `${text}: ${error}`).toBe('completed');
  }
  expect(kills.service).toBeGreaterThanOrEqual(DEPLOYMENTS / 10);
  expect(kills.daemon).toBeGreaterThanOrEqual(DEPLOYMENTS / 10);
});

test('an action that ends while the daemon is down reports its exit code and output afterwards', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation();
  const daemon = installation.startDaemon();
  await installation.online();
  const { instanceId } = await createAndDeploy(installation, 'killed-orphan');
  const { engine } = installation;
  const executionId = await act(installation, instanceId, 'wait', { line: 'alone' });
  const status = async () => {
    const { execution } = await installation.service.client.call('actions.read', {
      params: { execution_id: executionId },
    });
    return execution.status;
  };
  await until(async () => (await status()) === 'running', { describe: 'the action to run' });
  await until(async () => (await inside(engine, 'killed-orphan', 'ps')).includes('go-'), { describe: 'its process' });
  await daemon.kill('SIGKILL');
  await inside(engine, 'killed-orphan', 'touch', '/data/go-alone');
  const lines = () => inside(engine, 'killed-orphan', 'cat', '/data/lines');
  await until(async () => (await lines()) === 'alone\n', { describe: 'the line to be written' });
  expect(await status()).toBe('running');
  installation.startDaemon();
  expect(await ended(installation, executionId)).toMatchObject({
    status: 'completed',
    exit_code: 0,
    output: 'wrote alone\n',
    outcome: 'known',
  });
  expect(await lines()).toBe('alone\n');
});

const right = (text: string) => ({ text, times: 1, exit_code: 0, output: `wrote ${text}\n` });

/** Unique text, so that the container must be replaced. */
const greeting = (round: number) => ({ inputs: { GREETING: `round ${round}` } });

/** Retries until there is an answer. */
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiProblem && error.code === 'NETWORK')) throw error;
      await sleep(50);
    }
  }
}

/**
 * Counts distinct observed events. Kills are scheduled by events instead of time, so that progress happens between two kills even
 * on a slow machine; events count once, so the kills end and all work completes.
 */
class Signs {
  readonly #seen = new Set<string>();

  see(sign: string): void {
    this.#seen.add(sign);
  }

  get count(): number {
    return this.#seen.size;
  }
}

/** Waits for a deployment to finish; every observed step and status counts as an event. */
async function followDeployment(installation: Installation, id: string, signs: Signs): Promise<void> {
  let after = 0;
  const poll = async () => {
    const { data } = await installation.service.client.call('deployments.read', { params: { id }, query: { after } });
    for (const { number, step } of data.logs) {
      after = number;
      signs.see(`${id} ${step}`);
    }
    signs.see(`${id} ${data.status}`);
    return data.status === 'success' || data.status === 'failed';
  };
  await until(poll, { within: TIMEOUT_MS, every: 50, describe: `the end of deployment ${id}` });
}

async function followExecution(installation: Installation, id: string, signs: Signs): Promise<void> {
  const poll = async () => {
    const { execution } = await installation.service.client.call('actions.read', { params: { execution_id: id } });
    signs.see(`${id} ${execution.status}`);
    return !['pending', 'sent', 'running'].includes(execution.status);
  };
  await until(poll, { within: TIMEOUT_MS, every: 50, describe: `the end of execution ${id}` });
}
