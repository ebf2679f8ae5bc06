import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { writeCatalog } from '../../testing/catalog-folder.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

const DREAMER = `
slug: dreamer
name: Dreamer
version: 1.0.0
archetype: worker
taxonomy: {kingdom: applications, family: test}
image: {repository: docker.io/library/busybox, tag: 1.36.1}
gpu: {count: all}
permissions: [{kind: gpu, reason: It dreams in pictures}]
`;

onBothEngines((engine) => {
  let service: RunningService;
  let number = 0;
  beforeAll(async () => {
    const testDatabase = await engine.testDatabase();
    const catalogDirectory = await writeCatalog(join(testDatabase.directory, 'catalog'));
    await mkdir(join(catalogDirectory, 'test/dreamer'), { recursive: true });
    await writeFile(join(catalogDirectory, 'test/dreamer/template.yaml'), DREAMER);
    service = await startApp(engine, { catalogDirectory }, testDatabase);
  });

  async function server(fingerprint?: object) {
    const body = { name: 'server-1', environment: 'staging' } as const;
    const { id } = (await service.client.call('servers.register', { body })).data;
    const notify = (found: object) =>
      service.request('PUT', `/server-capacity/${id}`, {
        body: {
          memory: { used: 0, free: 8e9 },
          cpu: { cores: 2, used_percent: 0 },
          disk: { used: 0, free: 1 },
          fingerprint: found,
        },
      });
    if (fingerprint) expect((await notify(fingerprint)).status).toBe(200);
    const execute = async (species: string, more = {}) => {
      const order = { species, instance_uid: `blog-${++number}`, server_id: id, inputs: {} };
      const definition_id = (await service.client.call('definitions.create', { body: order })).data.id;
      return service.request('POST', '/deployments/execute', { body: { definition_id, ...more } });
    };
    const read = async () => (await service.client.call('servers.read', { params: { id } })).data.fingerprint;
    return { id, notify, execute, read };
  }

  it('the fingerprint of a server is null before the first report, then the last one', async () => {
    const { read, notify } = await server();
    expect(await read()).toBeNull();
    await notify({ engine: 'docker', engine_version: '20.10.24', api_version: '1.41', rootless: false, novelty: 1 });
    expect(await read()).toEqual({
      engine: 'docker',
      engine_version: '20.10.24',
      api_version: '1.41',
      engine_problem: null,
      os: null,
      arch: null,
      cgroup: null,
      storage_driver: null,
      rootless: false,
      gpu_runtime: null,
      caddy_version: null,
    });
    await notify({ engine: 'podman', caddy_version: '2.6.2' });
    expect(await read()).toMatchObject({ engine: 'podman', rootless: null, caddy_version: '2.6.2' });
    expect((await notify({ engine: 7 })).status).toBe(422);
  });

  it('the record of a server shows its network usage as last reported', async () => {
    const { id } = await server();
    const read = async () => (await service.client.call('servers.read', { params: { id } })).data.networks;
    const room = { memory: { used: 0, free: 8e9 }, cpu: { cores: 2, used_percent: 0 }, disk: { used: 0, free: 1 } };
    const notify = (networks?: object) =>
      service.request('PUT', `/server-capacity/${id}`, { body: { ...room, ...(networks && { networks }) } });
    expect(await read()).toBeNull();
    const networks = { pool: ['10.254.0.0/16'], total: 4_096, used: 150, free: 3_946 };
    expect((await notify({ ...networks, novelty: 1 })).status).toBe(200);
    expect(await read()).toEqual(networks);
    // A report without networks, from an unavailable engine, changes nothing.
    expect((await notify()).status).toBe(200);
    expect(await read()).toEqual(networks);
    expect((await notify({ ...networks, free: -1 })).status).toBe(422);
  });

  it('a deployment that needs a GPU is refused on a server without one, even with ignore_capacity', async () => {
    const without = await server({ engine: 'docker', gpu_runtime: null });
    const refused = await without.execute('dreamer', { ignore_capacity: true });
    expectRefusal(refused, 'VALIDATION_ERROR', 'definition_id');
    expect(refused.json.error.message).toContain('needs a GPU');
    expect(refused.json.error.details).toMatchObject({ reason: 'unsupported', lacking: [{ resource: 'gpu_runtime' }] });
    expect((await without.execute('seed')).status).toBe(201);
    expect((await (await server({ gpu_runtime: 'nvidia' })).execute('dreamer')).status).toBe(201);
    expect((await (await server()).execute('dreamer')).status).toBe(201);
  });

  it('a deployment to a server with an unusable engine is refused', async () => {
    const { execute, notify } = await server({ engine_problem: 'it speaks API 1.40' });
    expect((await execute('seed')).json.error.details).toMatchObject({
      reason: 'unsupported',
      lacking: [{ resource: 'engine_problem', message: 'its engine cannot be used: it speaks API 1.40' }],
    });
    await notify({ engine_problem: null });
    expect((await execute('seed')).status).toBe(201);
  });
});
