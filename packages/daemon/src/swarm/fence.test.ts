import { expect, it } from 'vitest';
import type { Cluster } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { fencedCluster, fencedEngine } from './fence.ts';
import { Tenure } from './tenure.ts';

/** An engine or a Swarm whose calls are recorded. */
function recorded<Whole extends object>(): { whole: Whole; calls: string[] } {
  const calls: string[] = [];
  const whole = new Proxy({} as Record<string, unknown>, {
    get: (_, name: string) => async () => void calls.push(name),
    ownKeys: () => [],
  });
  return { whole: whole as Whole, calls };
}

const changes = {
  cluster: [
    'changeNode',
    'createService',
    'updateService',
    'scaleService',
    'restartService',
    'rollBackService',
    'removeService',
    'ensureNetwork',
    'createContent',
    'removeContent',
  ],
  engine: [
    'create',
    'start',
    'putFiles',
    'writeArchive',
    'ensureVolume',
    'removeVolume',
    'ensureNetwork',
    'removeNetwork',
    'removeImage',
  ],
};

it('a member that does not lead changes neither the Swarm nor the volumes of its node', async () => {
  let leads = true;
  const swarm = recorded<Cluster>();
  const node = recorded<Engine>();
  const fences = [
    [fencedCluster(swarm.whole, () => leads), changes.cluster],
    [fencedEngine(node.whole, () => leads), changes.engine],
  ] as const;
  for (const [fence, names] of fences)
    for (const name of names) await (fence as unknown as Record<string, () => Promise<void>>)[name]?.();
  expect([swarm.calls, node.calls]).toEqual([changes.cluster, changes.engine]);
  leads = false;
  for (const [fence, names] of fences)
    for (const name of names)
      await expect((fence as unknown as Record<string, () => Promise<void>>)[name]?.()).rejects.toThrow(
        'does not lead',
      );
  expect([swarm.calls, node.calls]).toEqual([changes.cluster, changes.engine]);
});

it('work that waited while another member led does not continue in a later leadership', async () => {
  const tenure = new Tenure();
  const { whole, calls } = recorded<Engine>();
  const engine = fencedEngine(whole, () => tenure.holds());
  tenure.begin(5);
  const [waiting, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const restore = tenure.run(async () => {
    await engine.ensureVolume({ name: 'data', labels: {}, owner: [] });
    waiting.resolve();
    await go.promise;
    await engine.removeVolume('data');
  });
  await waiting.promise;
  tenure.begin(7);
  go.resolve();
  await expect(restore).rejects.toThrow('another member led');
  await tenure.run(() => engine.removeVolume('other'));
  expect(calls).toEqual(['ensureVolume', 'removeVolume']);
});

it('work continues in a new epoch if no other member led in between', async () => {
  const tenure = new Tenure();
  tenure.begin(5);
  const after = tenure.run(async () => {
    await new Promise(setImmediate);
    return tenure.holds();
  });
  tenure.begin(5);
  expect(await after).toBe(true);
});
