import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeCatalog } from '../../testing/catalog-folder.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

const GREEDY = `
slug: greedy
name: Greedy
version: 1.0.0
archetype: worker
taxonomy: {kingdom: applications, family: test}
image: {repository: docker.io/library/busybox, tag: 1.36.1}
resources: {cpu: "2", memory_reservation: 600Mi}
`;
const MI = 2 ** 20;

onDifferingEngines('concurrent orders', (engine) => {
  let service: RunningService;
  let number = 0;

  beforeAll(async () => {
    const testDatabase = await engine.testDatabase();
    const catalogDirectory = await writeCatalog(join(testDatabase.directory, 'catalog'));
    await mkdir(join(catalogDirectory, 'test/greedy'), { recursive: true });
    await writeFile(join(catalogDirectory, 'test/greedy/template.yaml'), GREEDY);
    service = await startApp(engine, { catalogDirectory }, testDatabase);
  });

  async function server(capacity?: { memory: number; cores: number }) {
    const body = { name: 'server-1', environment: 'staging' } as const;
    const { id } = (await service.client.call('servers.register', { body })).data;
    if (capacity)
      await service.client.call('capacity.report', {
        params: { server_id: id },
        body: {
          memory: { used: 0, free: capacity.memory },
          cpu: { cores: capacity.cores, used_percent: 0 },
          disk: { used: 0, free: 1 },
        },
      });
    const define = async (species = 'greedy') => {
      const order = { species, instance_uid: `blog-${++number}`, server_id: id, inputs: {} };
      return (await service.client.call('definitions.create', { body: order })).data.id;
    };
    return { id, define };
  }
  const execute = (definition_id: string, more = {}) =>
    service.request('POST', '/deployments/execute', { body: { definition_id, ...more } });
  async function deployed(definition: string) {
    const { id } = (await execute(definition)).json.data;
    await service.client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  }

  describe('a deployment', () => {
    it('is refused if its memory does not fit beside that of the others, and can be forced', async () => {
      const { define } = await server({ memory: 1000 * MI, cores: 4 });
      const [first, second] = [await define(), await define()];
      await deployed(first);
      const refused = await execute(second);
      expectRefusal(refused, 'VALIDATION_ERROR', 'definition_id');
      expect(refused.json.error.details).toMatchObject({
        reason: 'capacity',
        lacking: [{ resource: 'memory', needed: 600 * MI, available: 400 * MI }],
      });
      expect((await execute(second, { ignore_capacity: true })).status).toBe(201);
      // Its own reservation does not count against it.
      expect((await execute(first)).status).toBe(201);
      expect((await execute(await define('seed'))).status).toBe(201);
    });

    it('reserves its memory when it is ordered: of several concurrent orders only those that fit are accepted', async () => {
      const { define } = await server({ memory: 1300 * MI, cores: 4 });
      const definitions = [await define(), await define(), await define(), await define()];
      const responses = await Promise.all(definitions.map((id) => execute(id)));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
    });

    it('is refused if one component wants more cores than the server has', async () => {
      const { define } = await server({ memory: 8000 * MI, cores: 1 });
      const { json } = await execute(await define());
      expect(json.error.details.lacking).toEqual([{ resource: 'cpu', needed: 2, available: 1 }]);
    });

    it('is accepted by a server that has not reported its capacity', async () => {
      const { define } = await server();
      expect((await execute(await define())).status).toBe(201);
    });
  });

  describe('removing a server', () => {
    it('is refused while instances run, and with force archives what is on it', async () => {
      const { id, define } = await server();
      const definition = await define();
      await deployed(definition);
      const [instance] = (await service.client.call('instances.list', { query: { definition_id: definition } })).data;
      const waiting = (await execute(definition)).json.data.id;
      const refused = await service.request('DELETE', `/servers/${id}`);
      expectRefusal(refused, 'VALIDATION_ERROR', 'id');
      expect(refused.json.error.details).toMatchObject({ reason: 'in_use', definitions: 1, instances: 1 });

      expect((await service.request('DELETE', `/servers/${id}?force=true`)).status).toBe(200);
      expect((await service.request('GET', `/servers/${id}`)).status).toBe(404);
      const read = async (path: string) => (await service.request('GET', path)).json.data.status;
      expect(await read(`/definitions/${definition}`)).toBe('archived');
      expect(await read(`/instances/${instance?.id}`)).toBe('lost');
      expect(await read(`/deployments/${waiting}`)).toBe('failed');
    });

    it('is refused for an archived definition whose containers were kept', async () => {
      const { id, define } = await server();
      const definition = await define();
      await deployed(definition);
      await service.request('DELETE', `/definitions/${definition}?container=keep`);
      const { json } = await service.request('DELETE', `/servers/${id}`);
      expect(json.error.details).toMatchObject({ reason: 'in_use', definitions: 0, instances: 1 });
    });
  });

  it('failures are counted per day, and executions are listed across all instances', async () => {
    const { define } = await server();
    const definition = await define();
    await deployed(definition);
    const { id } = (await execute(definition)).json.data;
    await service.client.call('deployments.status', { params: { id }, body: { status: 'failed', error: 'It broke' } });
    const stats = async (query = '') => (await service.request('GET', `/instances/stats${query}`)).json.data;
    await expect.poll(async () => (await stats()).failures_by_day.at(-1).deployments).toBeGreaterThan(0);
    const { failures_by_day } = await stats('?days=3');
    expect(failures_by_day).toHaveLength(3);
    expect(failures_by_day[0]).toMatchObject({ deployments: 0, actions: 0, unhealthy: 0 });
    expect(failures_by_day.at(-1).date).toBe(new Date().toISOString().slice(0, 10));

    const [instance] = (await service.client.call('instances.list', { query: { definition_id: definition } })).data;
    const params = { id: instance?.id ?? '' };
    const { execution } = await service.client.call('instances.restart', { params });
    const listed = async (query: string) =>
      (await service.request('GET', `/actions?instance_id=${params.id}&${query}`)).json.data.map(
        (item: { id: string }) => item.id,
      );
    expect(await listed('status=pending')).toEqual([execution.id]);
    expect(await listed(`slug=${execution.slug}&since=2020-01-01T00:00:00Z`)).toEqual([execution.id]);
    expect(await listed('until=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await listed('status=failed')).toEqual([]);
  });
});
