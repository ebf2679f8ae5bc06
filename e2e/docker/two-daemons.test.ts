import type { Engine } from '@hortus/daemon/engine/engine';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import {
  act,
  createAndDeploy,
  deploy,
  ended,
  finished,
  inside,
  openInstallation,
  shareKeyPair,
} from './installation.ts';

test('the second of two daemons with the same key takes over, and nothing runs twice', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation();
  const { client } = installation.service;
  const { engine } = installation;
  const server = async () => (await client.call('servers.read', { params: { id: installation.serverId } })).data;
  const change = (id: string, inputs: Record<string, string>) =>
    client.call('definitions.update', { params: { id }, body: { inputs } });
  shareKeyPair(installation, ['first', 'second']);
  const first = installation.startDaemon({ state: 'first' });
  await installation.online();
  const [twin, slow] = await Promise.all([
    createAndDeploy(installation, 'twin'),
    createAndDeploy(installation, 'slow-twin'),
  ]);
  expect(await server()).toMatchObject({ duplicate_seen_at: null });

  // Running when the second connects: an action, and a deployment that takes seconds to fail.
  const action = await act(installation, twin.instanceId, 'wait', { line: 'of-the-first' });
  await until(async () => (await inside(engine, 'twin', 'ps')).includes('go-'), { describe: 'the action to run' });
  await using made = watchCreated(engine, 'slow-twin');
  await change(slow.definitionId, { HEALTH_PATH: '/nothing-here' });
  const deployment = await deploy(installation, slow.definitionId);
  await until(() => made.ids.length === 1, { describe: 'the deployment to be under way' });

  installation.startDaemon({ state: 'second' });
  await first.waitForLine('another daemon with the same server key took over');
  await until(async () => (await server()).duplicate_seen_at, { describe: 'the duplicate to be shown' });
  expect(await server()).toMatchObject({ status: 'online', connected: true });

  // The first finishes its running work.
  await inside(engine, 'twin', 'touch', '/data/go-of-the-first');
  expect(await ended(installation, action)).toMatchObject({ status: 'completed', output: 'wrote of-the-first\n' });
  expect(await finished(installation, deployment)).toMatchObject({ status: 'failed', reason: 'unhealthy' });
  expect(made.ids).toHaveLength(1);

  // New work goes to the second: a deployment makes the instance known to it, then it runs an action.
  await change(twin.definitionId, { GREETING: 'changed' });
  const changed = await finished(installation, await deploy(installation, twin.definitionId));
  expect(changed, changed.error ?? '').toMatchObject({ status: 'success' });
  const orders = Array.from({ length: 4 }, (_, line) =>
    act(installation, twin.instanceId, 'note', { line: `${line}` }),
  );
  for (const id of await Promise.all(orders)) {
    const { status, error } = await ended(installation, id);
    expect(status, error ?? '').toBe('completed');
  }
  const lines = (await inside(engine, 'twin', 'cat', '/data/lines')).trim().split('\n');
  expect(lines.sort()).toEqual(['0', '1', '2', '3', 'of-the-first']);
  expect(await engine.containers({ labels: { 'hortus.instance': 'twin' } })).toHaveLength(1);
});

/** Records the containers created for an instance from now on. */
function watchCreated(engine: Engine, uid: string): AsyncDisposable & { readonly ids: readonly string[] } {
  const ids: string[] = [];
  const end = new AbortController();
  const labels = { 'hortus.instance': uid };
  const watching = engine.events(
    { labels, since: Date.now() },
    ({ action, id }) => action === 'create' && ids.push(id),
    end.signal,
  );
  return {
    ids,
    async [Symbol.asyncDispose]() {
      end.abort();
      await watching.catch(() => undefined);
    },
  };
}
