import { startRegistry } from '@hortus/testkit/registry';
import { expect, test } from 'vitest';
import { deploy, finished, openInstallation } from './installation.ts';

test('an image is pulled from a registry, and a missing one is reported', { timeout: 240_000 }, async () => {
  await using registry = await startRegistry();
  await using installation = await openInstallation({ image: `${registry.host}/pages/page` });
  await installation.letIn(`http://${registry.host}`);
  const ref = await registry.publish(installation.socketPath, 'pages/page');
  const { engine } = installation;
  expect(await engine.hasImage(ref)).toBe(false);
  installation.startDaemon();
  await installation.online();
  const deployed = async (species: string) => {
    const body = { species, instance_uid: `pulled-${species}`, server_id: installation.serverId, inputs: {} };
    const { data } = await installation.service.client.call('definitions.create', { body });
    return await finished(installation, await deploy(installation, data.id));
  };

  const there = await deployed('website');
  expect(there, there.error ?? '').toMatchObject({ status: 'success' });
  const pulls = there.logs.filter(({ step }) => step === 'pull').map(({ message }) => message);
  expect(pulls.at(-1)).toMatch(new RegExp(`^Pulled ${ref} `));
  // Independent of the number of progress events.
  expect(pulls.length).toBeLessThan(10);
  expect(await engine.containers({ labels: { 'hortus.instance': 'pulled-website' } })).toHaveLength(1);

  const missing = await deployed('missing-image');
  expect(missing).toMatchObject({ status: 'failed', reason: 'image' });
  expect(missing.error).toMatch(new RegExp(`^Could not pull image ${registry.host}/pages/page:none: .*not found`));
  const errors = missing.logs.filter(({ level }) => level === 'error');
  expect(errors).toEqual([expect.objectContaining({ step: 'pull', message: missing.error })]);
  expect(await engine.containers({ labels: { 'hortus.instance': 'pulled-missing-image' } })).toEqual([]);
  await engine.remove((await engine.inspect('pulled-website'))?.id ?? '', { force: true });
});
