import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { onBothEngines } from '../../testing/engines.ts';
import { writeProviders } from '../../testing/provider-templates.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { Gardener } from './testing/gardener.ts';

onBothEngines((engine) => {
  const folder = temporaryFolder('providers');
  afterAll(() => folder.remove());
  let installation: RunningService;
  let service: RunningService;
  let gardener: Gardener;
  beforeAll(async () => {
    installation = await startApp(engine, { catalogDirectory: await writeProviders(join(folder.path, engine.name)) });
  });
  beforeEach(async () => {
    service = await installation.inNewAccount();
    gardener = new Gardener(service);
    await gardener.server('attic');
    const attributes = { host: 'db.example.org', port: '5432', database: 'desk', password: 'a long password' };
    const body = { name: 'Big rows', class: 'database.postgres', attributes };
    await service.client.call('connections.create', { body });
  });

  const gate = { species: 'gate', server: 'attic', inputs: { WEB_HOSTNAME: 'id.example.org' } };
  const desk = (bindings: object) => ({ species: 'desk', server: 'attic', bindings });
  const home = (definitions: object) => ({ garden: { name: 'home', definitions } });
  const bindingsOf = async (uid: string) =>
    (await gardener.definitions()).find(({ instance_uid }) => instance_uid === uid)?.bindings;

  it('binds needs to connections and to definitions that it deploys first, and exports them', async () => {
    const files = home({ app: desk({ db: 'connection:Big rows', login: 'instance:gate' }), gate });
    expect(await gardener.applied(files)).toMatchObject({ status: 'succeeded', done: 2 });
    const connection = (await service.client.call('connections.list', {})).data[0]?.id;
    expect(await bindingsOf('app')).toMatchObject({ db: { connection }, login: { instance: 'gate' } });
    expect((await gardener.plan(files)).counts).toMatchObject({ unchanged: 2 });
    const { data } = await service.client.call('gardens.export', { query: { name: 'home' } });
    expect(parse(data.source).definitions.app.bindings).toEqual({
      db: 'connection:Big rows',
      login: 'instance:gate',
    });

    const unbound = home({ app: desk({ db: 'connection:Big rows' }), gate });
    expect(await gardener.applied(unbound)).toMatchObject({ status: 'succeeded' });
    expect(await bindingsOf('app')).toEqual({ db: { connection } });
  });

  it('archives a definition after those that are bound to it', async () => {
    await gardener.applied(home({ zoo: desk({ db: 'connection:Big rows', login: 'instance:gate' }), gate }));
    const empty = { ...home({}), prune: true };
    expect(await gardener.applied(empty)).toMatchObject({ status: 'succeeded' });
    expect(await gardener.definitions()).toEqual([]);
  });

  it('reports needs and connections that do not exist by their field', async () => {
    const { problems } = await gardener.plan(home({ app: desk({ db: 'connection:Nothing', cache: 'instance:x' }) }));
    expect(problems.map(({ field }: { field: string }) => field).sort()).toEqual([
      'definitions.app.bindings.cache',
      'definitions.app.bindings.db',
    ]);
  });
});
