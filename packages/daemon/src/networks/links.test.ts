import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { readDocker } from '@hortus/testkit/docker-request';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { component } from '../plan/testing/manifests.ts';
import { TestServer, web } from '../rollout/testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

let definitions = 0;
const newDefinition = () => `def_${server.id}_${++definitions}`;

interface Deployed {
  readonly uid: string;
  readonly definitionId: string;
}

const newInstance = (): Deployed => ({ uid: server.newUid(), definitionId: newDefinition() });
const linkTo = ({ uid, definitionId }: Deployed, name = 'main') => ({
  instance: uid,
  definition_id: definitionId,
  component: name,
});
const deploy = ({ uid, definitionId }: Deployed, ...components: ManifestComponent[]) =>
  server.deploy(uid, components, { definitionId });
const version = (value: string) => ({ env: { VERSION: value } });
const ask = (from: Deployed, host: string) =>
  server.run(from.uid, 'timeout', '3', 'wget', '-q', '-O', '-', `http://${host}:8080/health`);
const networksOf = async ({ uid }: Deployed) =>
  (await server.engine.networks({ labels: { 'hortus.instance': uid } })).map(({ name }) => name).sort();

async function provider(): Promise<Deployed> {
  const deployed = newInstance();
  const result = await deploy(deployed, component('main', web()), component('side', web()));
  expect(result).toMatchObject({ status: 'success' });
  return deployed;
}

const user = (of: Deployed, more: Partial<ManifestComponent> = {}) =>
  component('main', web({ links: [linkTo(of)], ...more }));

test('an instance reaches the component that it is bound to by name, also after either is deployed again', {
  timeout: 120_000,
}, async () => {
  const [database, app] = [await provider(), newInstance()];
  expect(await deploy(app, user(database))).toMatchObject({ status: 'success' });
  expect(await ask(app, `${database.uid}-main`)).toBe('ok\n');

  const renewed = [component('main', web(version('2'))), component('side', web())];
  expect(await deploy(database, ...renewed)).toMatchObject({ status: 'success' });
  expect(await ask(app, `${database.uid}-main`)).toBe('ok\n');

  expect(await deploy(app, user(database, version('2')))).toMatchObject({ status: 'success' });
  expect(await ask(app, `${database.uid}-main`)).toBe('ok\n');

  // Also with a volume, where the old container stops before the new one starts.
  const storage = [
    { name: 'data', volume: `${database.uid}_data`, mount_path: '/data', read_only: false, critical: true },
  ];
  const stateful = [component('main', web({ ...version('3'), storage })), component('side', web())];
  expect(await deploy(database, ...stateful)).toMatchObject({ status: 'success' });
  expect(await ask(app, `${database.uid}-main`)).toBe('ok\n');
});

test('a link has no way out, and only the user and the used component are on it', { timeout: 120_000 }, async () => {
  const [database, deployed, two] = [await provider(), newInstance(), newInstance()];
  expect(await deploy(deployed, user(database), component('aside', web()))).toMatchObject({ status: 'success' });
  expect(await deploy(two, user(database))).toMatchObject({ status: 'success' });
  expect(await ask(deployed, `${database.uid}-side`)).not.toContain('ok');
  expect(await ask(deployed, `${two.uid}-main`)).not.toContain('ok');
  // The engine of the tests filters no packets, so the members of the network are checked.
  for (const each of [deployed, two]) {
    const link = `hortus.link.${each.uid}.${database.uid}.main`;
    const network = await readDocker<{ Internal: boolean; Containers: Record<string, { Name: string }> }>(
      server.socketPath,
      `/networks/${link}`,
    );
    expect(network.Internal).toBe(true);
    const members = Object.values(network.Containers).map(({ Name }) => Name);
    expect(members.sort()).toEqual([each.uid, database.uid].sort());
  }
});

test('links are no drift, and a lost link is', { timeout: 120_000 }, async () => {
  const [database, app] = [await provider(), newInstance()];
  const wanted = user(database);
  await deploy(app, wanted);
  const link = `hortus.link.${app.uid}.${database.uid}.main`;
  expect(await networksOf(app)).toEqual([`hortus-${app.uid}`, link]);
  expect(await deploy(app, wanted)).toMatchObject({ status: 'success' });
  const [before] = await server.engine.containers({ labels: { 'hortus.instance': app.uid } });

  await server.engine.removeNetwork(link);
  expect(await deploy(app, wanted)).toMatchObject({ status: 'success' });
  const [after] = await server.engine.containers({ labels: { 'hortus.instance': app.uid } });
  expect(after?.id).not.toBe(before?.id);
  expect(await ask(app, `${database.uid}-main`)).toBe('ok\n');
});

test('an unbound need takes the link away', { timeout: 120_000 }, async () => {
  const [database, app] = [await provider(), newInstance()];
  await deploy(app, user(database));
  expect(await deploy(app, component('main', web()))).toMatchObject({ status: 'success' });
  expect((await networksOf(app)).filter((name) => name.startsWith('hortus.link'))).toEqual([]);
  const facts = await server.engine.inspect(database.uid);
  expect(facts?.networks.map(({ name }) => name).filter((name) => name.startsWith('hortus.link'))).toEqual([]);
});

test('a deployment fails by the name of an instance that does not run here, and changes nothing', async () => {
  const app = newInstance();
  const missing = { uid: 'nowhere', definitionId: 'def_nowhere' };
  const result = await deploy(app, user(missing));
  expect(result).toMatchObject({ status: 'failed' });
  expect(JSON.stringify(result)).toContain('The instance nowhere');
  expect(await server.engine.containers({ labels: { 'hortus.instance': app.uid } })).toEqual([]);
});

test('a container of another definition with the same name is not connected', async () => {
  const [database, app] = [await provider(), newInstance()];
  const result = await deploy(app, user({ ...database, definitionId: 'def_other' }));
  expect(result).toMatchObject({ status: 'failed' });
});
