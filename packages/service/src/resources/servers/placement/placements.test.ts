import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hortus/client/client';
import { until } from '@hortus/testkit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeCatalog } from '../../../testing/catalog-folder.ts';
import { onDifferingEngines } from '../../../testing/engines.ts';
import { expectRefusal } from '../../../testing/published-response.ts';
import { type Caller, type RunningService, startApp } from '../../../testing/running-service.ts';

const template = (slug: string, rest: string) => `
slug: ${slug}
name: ${slug}
version: 1.0.0
archetype: worker
taxonomy: {kingdom: applications, family: test}
image: {repository: docker.io/library/busybox, tag: 1.36.1}
${rest}
`;
const MI = 2 ** 20;

onDifferingEngines('concurrent requests', (engine) => {
  let service: RunningService;
  let number = 0;

  beforeAll(async () => {
    const testDatabase = await engine.testDatabase();
    const catalogDirectory = await writeCatalog(join(testDatabase.directory, 'catalog'));
    for (const [slug, rest] of [
      ['greedy', 'resources: {cpu: "2", memory_reservation: 600Mi}'],
      [
        'ported',
        `ports: [{container_port: 53, host_port: 5353, protocol: udp}]
permissions: [{kind: host_port, reason: Answers queries.}]`,
      ],
    ] as const) {
      await mkdir(join(catalogDirectory, 'test', slug), { recursive: true });
      await writeFile(join(catalogDirectory, 'test', slug, 'template.yaml'), template(slug, rest));
    }
    service = await startApp(engine, { catalogDirectory }, testDatabase);
  });

  interface ServerInput {
    readonly memory?: number;
    readonly used?: number;
    readonly cores?: number;
    readonly disk?: number;
    readonly labels?: Record<string, string>;
    readonly away?: boolean;
  }

  /** Registers a server that polls, unless it is away. */
  async function server(owner: Caller, name: string, overrides: ServerInput = {}) {
    const { memory = 4000 * MI, used = 0, cores = 4, disk = 10, labels = {}, away = false } = overrides;
    const { data } = await owner.client.call('servers.register', { body: { name, environment: 'staging', labels } });
    const daemon = createClient({ baseUrl: service.base, key: data.api_key });
    if (!away) await daemon.call('deployments.pending', {});
    await daemon.call('capacity.report', {
      params: { server_id: data.id },
      body: {
        memory: { used, free: memory - used },
        cpu: { cores, used_percent: 0 },
        disk: { used: disk * 1000, free: (100 - disk) * 1000 },
      },
    });
    return data.id;
  }
  const body = (species: string, more: object = {}) => ({
    ...{ species, instance_uid: `placed-${++number}`, server_id: 'auto', inputs: {} },
    ...more,
  });
  const create = (owner: Caller, species = 'greedy', more: object = {}) =>
    owner.request('POST', '/definitions', { body: body(species, more) });

  describe('server_id auto', () => {
    it('chooses the server with the most room, says why, and the record names it', async () => {
      const owner = await service.addAccount();
      const small = await server(owner, 'small', { memory: 2000 * MI });
      const large = await server(owner, 'large', { memory: 8000 * MI, used: 1000 * MI });
      await server(owner, 'away', { memory: 64_000 * MI, away: true });
      const { status, json } = await create(owner);
      expect(status).toBe(201);
      expect(json.data).toMatchObject({ server_id: large, placement: { server_id: large, considered_total: 3 } });
      expect(json.data.placement.reason).toMatch(/^large is the server with the most room: 7000 MiB/);
      expect(json.data.placement.considered).toMatchObject([
        { server_id: large, fits: true, lacking: [] },
        { server_id: small, fits: true },
        { name: 'away', fits: false, lacking: [{ reason: 'status', message: 'is pending' }] },
      ]);
      const { data } = await owner.client.call('definitions.read', { params: { id: json.data.id } });
      expect(data.server_id).toBe(large);
      const placed = await until(
        async () =>
          (await owner.client.call('events.list', { query: { resource_id: data.id } })).data.find(
            ({ type }) => type === 'audit.definition_placed',
          ),
        { describe: 'the event' },
      );
      expect(placed.data).toMatchObject({ server_id: large });
    });

    it('meets labels and architecture, and names per server what is missing', async () => {
      const owner = await service.addAccount();
      await server(owner, 'paris', { labels: { site: 'paris' } });
      const berlin = await server(owner, 'berlin', { memory: 1000 * MI, labels: { site: 'berlin' } });
      const wished = { placement: { labels: { site: 'berlin' } } };
      expect((await create(owner, 'greedy', wished)).json.data.server_id).toBe(berlin);
      const refused = await create(owner, 'greedy', wished);
      expectRefusal(refused, 'VALIDATION_ERROR', 'server_id');
      expect(refused.json.error.details).toMatchObject({
        reason: 'no_server',
        total: 2,
        servers: [
          { name: 'berlin', lacking: [{ reason: 'memory' }] },
          { name: 'paris', lacking: [{ reason: 'label', message: 'has site=paris, not berlin' }] },
        ],
      });
      const other = await create(owner, 'greedy', { placement: { arch: 's390x' } });
      expect(other.json.error.details.servers[0].lacking).toMatchObject([{ reason: 'architecture' }]);
    });

    it('avoids drained and full servers, too few cores and used ports', async () => {
      const owner = await service.addAccount();
      const drained = await server(owner, 'drained');
      await owner.client.call('servers.drain', { params: { id: drained } });
      await server(owner, 'full', { disk: 97 });
      await server(owner, 'weak', { cores: 1 });
      const lacking = async (species: string) =>
        Object.fromEntries(
          (await create(owner, species)).json.error.details.servers.map(
            (server: { name: string; lacking: { reason: string }[] }) => [
              server.name,
              server.lacking.map((l) => l.reason),
            ],
          ),
        );
      expect(await lacking('greedy')).toEqual({ drained: ['status'], full: ['disk'], weak: ['cpu'] });
      expect((await create(owner, 'ported')).status).toBe(201);
      expect(await lacking('ported')).toEqual({ drained: ['status'], full: ['disk'], weak: ['port'] });
    });

    it('of several concurrent requests only those that fit are accepted', async () => {
      const owner = await service.addAccount();
      const servers = [await server(owner, 'a', { memory: 1300 * MI }), await server(owner, 'b', { memory: 700 * MI })];
      const responses = await Promise.all(Array.from({ length: 6 }, () => create(owner)));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 422, 422, 422]);
      const chosen = responses.flatMap(({ json }) => json.data?.server_id ?? []);
      expect(chosen.filter((id) => id === servers[0])).toHaveLength(2);
      expect(chosen.filter((id) => id === servers[1])).toHaveLength(1);
    });

    it('spreads definitions that reserve nothing', async () => {
      const owner = await service.addAccount();
      const ids = [await server(owner, 'a'), await server(owner, 'b'), await server(owner, 'c')];
      const chosen: string[] = [];
      for (let i = 0; i < 6; i++) chosen.push((await create(owner, 'seed')).json.data.server_id);
      for (const id of ids) expect(chosen.filter((text) => text === id)).toHaveLength(2);
    });

    it('follows a tenant to its server', async () => {
      const owner = await service.addAccount();
      const little = await server(owner, 'little', { memory: 1000 * MI });
      await server(owner, 'big');
      const tenant = (await owner.client.call('tenants.create', { body: { name: 'Roses', server_id: little } })).data;
      expect((await create(owner, 'greedy', { tenant_id: tenant.id })).json.data.server_id).toBe(little);
      const refused = await create(owner, 'greedy', { tenant_id: tenant.id });
      expect(refused.json.error.details.servers).toMatchObject([
        { name: 'little', lacking: [{ reason: 'memory' }] },
        { name: 'big', lacking: [{ reason: 'elsewhere' }] },
      ]);
    });

    describe('a server registered by a key with only servers:write, which reports enormous room', () => {
      /** The server of an owner, and one of such a key. */
      async function lured() {
        const owner = await service.addAccount();
        const honest = await server(owner, 'honest', { memory: 2000 * MI });
        const { data: thief } = await owner.client.call('keys.create', {
          body: { name: 'thief', permissions: ['servers:write'] },
        });
        const lure = await server(
          { ...owner, client: createClient({ baseUrl: service.base, key: thief.key }) },
          'lure',
          {
            memory: 900_000_000 * MI,
          },
        );
        return { owner, honest, lure };
      }

      it('is never chosen by server_id auto, also not for someone with data:export', async () => {
        const { owner, honest } = await lured();
        const { json } = await create(owner, 'seed');
        expect(json.data.server_id).toBe(honest);
        expect(json.data.placement.considered).toMatchObject([
          { name: 'honest', fits: true },
          { name: 'lure', fits: false, lacking: [{ reason: 'trust' }] },
        ]);
      });

      it('is named with the reason if no other is left, only to callers that may read servers', async () => {
        const { owner, honest, lure } = await lured();
        await owner.client.call('servers.drain', { params: { id: honest } });
        const refused = await create(owner, 'seed');
        expectRefusal(refused, 'VALIDATION_ERROR', 'server_id');
        expect(refused.json.error.message).toMatch(/lure: is not trusted, .* data:export; rotate its key to trust it/);
        const permissions = ['definitions:write', 'definitions:read', 'templates:read'] as const;
        const { data: blind } = await owner.client.call('keys.create', {
          body: { name: 'blind', permissions: [...permissions] },
        });
        const unnamed = await owner.request('POST', '/definitions', { body: body('seed'), key: blind.key });
        expectRefusal(unnamed, 'VALIDATION_ERROR', 'server_id');
        expect(JSON.stringify(unnamed.json)).not.toMatch(/lure|honest/);
        await owner.client.call('servers.rotateKey', { params: { id: lure }, query: { force: true } });
        expect((await owner.client.call('servers.read', { params: { id: lure } })).data.trusted).toBe(true);
        expect((await create(owner, 'seed')).json.data.server_id).toBe(lure);
      });

      it('is no target of the balance', async () => {
        const { owner, honest } = await lured();
        for (let i = 0; i < 3; i++) await create(owner, 'greedy', { server_id: honest });
        expect((await owner.client.call('servers.balance')).data.moves).toEqual([]);
        const trusted = await server(owner, 'trusted');
        const { moves } = (await owner.client.call('servers.balance')).data;
        expect(moves.length).toBeGreaterThan(0);
        expect(moves.every(({ to_server_id }) => to_server_id === trusted)).toBe(true);
      });
    });

    it('is previewed with its reasons, and needs a server', async () => {
      const owner = await service.addAccount();
      const none = await create(owner);
      expectRefusal(none, 'VALIDATION_ERROR', 'server_id');
      expect(none.json.error.message).toContain('register one first');
      const only = await server(owner, 'only');
      const preview = await owner.request('POST', '/definitions/plan', { body: body('greedy') });
      expect(preview.json.data).toMatchObject({ server_id: only, placement: { server_id: only } });
      expect(preview.json.data.placement.reason).toContain('only is the only server that fits');
      const misused = await create(owner, 'greedy', { server_id: only, placement: {} });
      expectRefusal(misused, 'VALIDATION_ERROR', 'placement');
      expect((await create(owner, 'greedy', { server_id: only })).json.data.placement).toBeUndefined();
    });
  });

  it('a drained server refuses new definitions unless forced', async () => {
    const owner = await service.addAccount();
    const id = await server(owner, 'drained');
    await owner.client.call('servers.drain', { params: { id } });
    const refused = await create(owner, 'seed', { server_id: id });
    expectRefusal(refused, 'VALIDATION_ERROR', 'server_id');
    expect(refused.json.error.details.reason).toBe('draining');
    expect((await create(owner, 'seed', { server_id: id, ignore_drain: true })).status).toBe(201);
    await owner.client.call('servers.undrain', { params: { id } });
    expect((await create(owner, 'seed', { server_id: id })).status).toBe(201);
  });

  describe('the balance of servers', () => {
    it('proposes commands that move from the fullest server, and moves nothing', async () => {
      const owner = await service.addAccount();
      const [full, free] = [await server(owner, 'full'), await server(owner, 'free')];
      const read = async () => (await owner.client.call('servers.balance')).data;
      expect((await read()).moves).toEqual([]);
      const made = [];
      for (let i = 0; i < 4; i++) made.push((await create(owner, 'greedy', { server_id: full })).json.data);
      const { servers, moves } = await read();
      expect(servers).toMatchObject([
        { name: 'free', taken_bytes: 0, taken_bytes_after: 1200 * MI },
        { name: 'full', taken_bytes: 2400 * MI, taken_bytes_after: 1200 * MI },
      ]);
      expect(moves).toHaveLength(2);
      expect(moves[0]).toMatchObject({
        from_server_id: full,
        to_server_id: free,
        memory_bytes: 600 * MI,
        reason: 'full goes from 60% to 45% of its memory, free from 0% to 15%.',
        command: `hortus definitions migrate ${made.find(({ id }) => id === moves[0]?.definition_id)?.instance_uid} --server ${free}`,
      });
      expect(await read()).toEqual({ servers, moves });
      for (const { id } of made)
        expect((await owner.client.call('definitions.read', { params: { id } })).data.server_id).toBe(full);
    });
  });
});
