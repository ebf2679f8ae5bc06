import { randomBytes } from 'node:crypto';
import { askDocker } from '@hortus/testkit/docker-request';
import { startRegistry } from '@hortus/testkit/registry';
import { expect, test } from 'vitest';
import { createAndDeploy, ended, openInstallation } from './installation.ts';
import { page } from './test-species.ts';

test('prune lists and removes exactly the leftovers of deleted instances', {
  timeout: 240_000,
}, async () => {
  const word = randomBytes(4).toString('hex');
  await using registry = await startRegistry();
  const stored = 'storage: [{name: data, mount_path: /data, critical: true}]';
  const species = { shop: page('shop', stored, { image: `${registry.host}/shop` }) };
  await using installation = await openInstallation({ species });
  await installation.letIn(`http://${registry.host}`);
  const { engine, socketPath, serverId } = installation;
  const docker = async (method: 'POST' | 'DELETE', path: string, body?: object) => {
    const { status, text } = await askDocker(socketPath, method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  };
  const [pulled, foreignImage] = [
    await registry.publish(socketPath, 'shop'),
    await registry.publish(socketPath, 'foreign'),
  ];
  installation.startDaemon();
  await installation.online();
  const { client } = installation.service;
  const [gone, living] = [`gone-${word}`, `living-${word}`];
  const inputs = { WEB_HOSTNAME: `${gone}.example.org` };
  const { instanceId } = await createAndDeploy(installation, gone, { species: 'shop', inputs });
  await createAndDeploy(installation, living);
  const released = await client.call('instances.release', { params: { id: instanceId }, body: {} });
  expect(await ended(installation, released.execution.id)).toMatchObject({ status: 'completed' });

  // Leftovers of an unknown instance, as after the loss of journal and database.
  const ghost = `ghost-${word}`;
  const ours = { 'hortus.managed': 'true', 'hortus.server': serverId, 'hortus.instance': ghost };
  await docker('POST', `/containers/create?name=${ghost}`, { Image: 'hortus.test/page:1', Labels: ours });
  await docker('POST', '/networks/create', { Name: `hortus-${ghost}`, Labels: ours });
  await docker('POST', '/volumes/create', { Name: `${ghost}_data`, Labels: ours });
  // Foreign objects: without labels, and with labels of another server.
  const [plain, alike] = [`plain-${word}`, `alike-${word}`];
  const theirs = { ...ours, 'hortus.server': 'srv_another' };
  await engine.pull(foreignImage, () => undefined);
  for (const [name, Labels] of [
    [plain, {}],
    [alike, theirs],
  ] as const) {
    await docker('POST', `/containers/create?name=${name}`, { Image: 'hortus.test/page:1', Labels });
    await docker('POST', '/networks/create', { Name: name, Labels });
    await docker('POST', '/volumes/create', { Name: name, Labels });
  }
  const container = (await engine.inspect(living))?.id;

  const prune = async (body: { dry_run: boolean; volumes?: string[] }) => {
    const { execution } = await client.call('servers.prune', { params: { id: serverId }, body });
    const { status, output } = await ended(installation, execution.id);
    return { status, report: JSON.parse(output ?? '') };
  };
  const left = {
    containers: [ghost],
    networks: [`hortus-${ghost}`],
    images: [pulled],
    volumes: [],
    kept_volumes: [`${ghost}_data`],
    problems: [],
  };
  expect(await prune({ dry_run: true })).toEqual({ status: 'completed', report: { dry_run: true, ...left } });
  expect(await engine.inspect(ghost)).toBeDefined();
  expect(await engine.hasImage(pulled)).toBe(true);
  expect(await prune({ dry_run: false })).toEqual({ status: 'completed', report: { dry_run: false, ...left } });
  expect(await engine.inspect(ghost)).toBeUndefined();
  expect(await engine.hasImage(pulled)).toBe(false);
  expect(await engine.volume(`${ghost}_data`)).toBeDefined();

  // Volumes are removed by name, and only those of deleted instances: a released instance can be deployed again.
  const volumes = [`${ghost}_data`, `${gone}_data`, `${living}_data`, plain, alike];
  expect(await prune({ dry_run: false, volumes })).toMatchObject({
    status: 'completed',
    report: { containers: [], networks: [], images: [], volumes: [`${ghost}_data`], kept_volumes: [] },
  });
  expect(await engine.volume(`${ghost}_data`)).toBeUndefined();
  for (const uid of [gone, living]) expect(await engine.volume(`${uid}_data`)).toBeDefined();
  expect(await engine.inspect(living)).toMatchObject({ id: container, state: 'running' });
  const names = (all: { name: string }[]) => all.map(({ name }) => name);
  const networks = names(await engine.networks({ labels: {} }));
  for (const name of [plain, alike]) {
    expect(await engine.inspect(name)).toBeDefined();
    expect(await engine.volume(name)).toBeDefined();
    expect(networks).toContain(name);
    await engine.remove(name, { force: true });
    await engine.removeVolume(name);
    await engine.removeNetwork(name);
  }
  expect(await engine.hasImage(foreignImage)).toBe(true);
  await engine.removeImage(foreignImage);
});
