import { startRegistry } from '@hortus/testkit/registry';
import { expect, test } from 'vitest';
import { deploy, finished, openGarden } from './garden.ts';

test('an image is pulled from a registry, and a missing one says so', { timeout: 240_000 }, async () => {
  await using registry = await startRegistry();
  await using garden = await openGarden({ image: `${registry.host}/plots/plot` });
  const ref = await registry.publish(garden.socketPath, 'plots/plot');
  const { engine } = garden;
  expect(await engine.hasImage(ref)).toBe(false);
  garden.startDaemon();
  await garden.online();
  const planted = async (species: string) => {
    const body = { species, instance_uid: `pulled-${species}`, server_id: garden.serverId, inputs: {} };
    const { data } = await garden.service.client.call('definitions.create', { body });
    return await finished(garden, await deploy(garden, data.id));
  };

  const there = await planted('plot');
  expect(there, there.error ?? '').toMatchObject({ status: 'success' });
  const pulls = there.logs.filter(({ step }) => step === 'pull').map(({ message }) => message);
  expect(pulls.at(-1)).toMatch(new RegExp(`^Pulled ${ref} `));
  // However many ticks the engine had for it.
  expect(pulls.length).toBeLessThan(10);
  expect(await engine.containers({ labels: { 'hortus.instance': 'pulled-plot' } })).toHaveLength(1);

  const missing = await planted('gap');
  expect(missing).toMatchObject({ status: 'failed', reason: 'image' });
  expect(missing.error).toMatch(new RegExp(`^Could not pull image ${registry.host}/plots/plot:none: .*not found`));
  const errors = missing.logs.filter(({ level }) => level === 'error');
  expect(errors).toEqual([expect.objectContaining({ step: 'pull', message: missing.error })]);
  expect(await engine.containers({ labels: { 'hortus.instance': 'pulled-gap' } })).toEqual([]);
  await engine.remove((await engine.inspect('pulled-plot'))?.id ?? '', { force: true });
});
