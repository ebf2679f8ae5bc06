import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { instanceOn } from '../../testing/log-daemon.ts';
import { publicUrl, type RunningService, startApp } from '../../testing/running-service.ts';
import { stepsSoFar } from './steps.ts';

onBothEngines((engine) => {
  let installation: RunningService;
  beforeAll(async () => {
    installation = await startApp(engine);
  });

  it('the overview of an account has its servers, counts and newest events, and nothing of another account', async () => {
    const service = await installation.inNewAccount();
    const { data: server } = await service.client.call('servers.register', {
      body: { name: 'beech', environment: 'production' },
    });
    await service.eventsOf(server.id);
    const { data } = await service.client.call('overview.read');
    expect(data.counts).toMatchObject({ instances: 0, definitions: 0, deployments: 0, servers: 1, webhooks: 0 });
    expect(data.counts.species).toBeGreaterThan(0);
    expect(data.servers).toMatchObject([{ id: server.id, name: 'beech', status: 'pending' }]);
    expect(data.events?.[0]).toMatchObject({ type: 'audit.server_registered', resource_id: server.id });
    const neighbour = await service.addAccount();
    const { data: theirs } = await neighbour.client.call('overview.read');
    expect(theirs).toMatchObject({ servers: [], instances: [], events: [], counts: { servers: 0 } });
  });

  it('the overview names instances with the host name of the console', async () => {
    const service = await installation.inNewAccount();
    const { data: server } = await service.client.call('servers.register', {
      body: { name: 'beech', environment: 'production' },
    });
    const id = await instanceOn(service, server.id);
    const neighbours = async () => (await service.client.call('overview.read')).data.neighbours;
    expect(await neighbours()).toEqual([]);
    const url = `${publicUrl}:8080/`;
    await service.database.db.updateTable('instances').set({ url }).where('id', '=', id).execute();
    expect(await neighbours()).toMatchObject([{ instance_id: id, addresses: [url] }]);
    const permissions = ['instances:read' as const];
    const { data: key } = await service.client.call('keys.create', { body: { name: 'no servers', permissions } });
    expect((await service.request('GET', '/overview', { key: key.key })).json.data.neighbours).toBeNull();
  });

  it('the overview of an instance has all that its page shows first', async () => {
    const service = await installation.inNewAccount();
    const { data: server } = await service.client.call('servers.register', {
      body: { name: 'beech', environment: 'production' },
    });
    const id = await instanceOn(service, server.id);
    const { data } = await service.client.call('overview.instance', { params: { id } });
    expect(data).toMatchObject({
      instance: { id, species: 'inkwell', family: 'blog' },
      server: { id: server.id, name: 'beech' },
      definition: { id: data.instance.definition_id, current_revision: 1 },
      executions: { total: 0, data: [] },
      deployments: { total: 1, data: [{ status: 'success', revision: 1 }] },
    });
    expect(data.actions?.map(({ slug }) => slug)).toContain('db-dump');
    expect(data.server).not.toHaveProperty('capacity');
  });

  it('a caller reads only the parts of an instance that its permissions cover, and none of another account', async () => {
    const service = await installation.inNewAccount();
    const { data: server } = await service.client.call('servers.register', {
      body: { name: 'beech', environment: 'production' },
    });
    const id = await instanceOn(service, server.id);
    const permissions = ['instances:read' as const];
    const { data: key } = await service.client.call('keys.create', { body: { name: 'reader', permissions } });
    const { json } = await service.request('GET', `/instances/${id}/overview`, { key: key.key });
    const hidden = ['server', 'definition', 'actions', 'backup', 'executions', 'backups', 'deployments'];
    expect(json.data).toMatchObject({ instance: { id }, ...Object.fromEntries(hidden.map((part) => [part, null])) });
    const neighbour = await service.addAccount();
    const refused = neighbour.client.call('overview.instance', { params: { id } });
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('an outsider, a key without the permission and a server with other work learn nothing from the overview of an instance', async () => {
    const service = await installation.inNewAccount();
    const register = (name: string) =>
      service.client.call('servers.register', { body: { name, environment: 'production' as const } });
    const [{ data: beech }, { data: rowan }] = [await register('beech'), await register('rowan')];
    const id = await instanceOn(service, beech.id);
    const { data: key } = await service.client.call('keys.create', {
      body: { name: 'no instances', permissions: ['servers:read', 'definitions:read', 'actions:read'] },
    });
    const statusFor = async (as: string | null, of = id) =>
      (await service.request('GET', `/instances/${of}/overview`, { key: as })).status;
    expect(await statusFor(null)).toBe(401);
    expect(await statusFor(key.key)).toBe(403);
    expect([403, 404]).toContain(await statusFor(rowan.api_key));
    for (const other of [id.toUpperCase(), `${id}'--`, `${id}%00`, 'ins_%', 'x'.repeat(4_000)])
      expect([404, 422], other.slice(0, 40)).toContain(await statusFor(service.key, encodeURIComponent(other)));
  });

  it('the newest records of an instance are bounded, however many there are', async () => {
    const service = await installation.inNewAccount();
    const { data: server } = await service.client.call('servers.register', {
      body: { name: 'beech', environment: 'production' },
    });
    const id = await instanceOn(service, server.id);
    const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)';
    const { rows } = await service.database.run(`select * from deployments where instance_id = '${id}'`, []);
    const columns = Object.keys(rows[0] as object);
    const values = columns.map((column) => (column === 'id' ? `'dep_z' || i` : column)).join(', ');
    await service.database.run(
      `insert into deployments (${columns.join(', ')}) ${numbers} select ${values} from deployments, n where instance_id = '${id}'`,
      [],
    );
    const { data } = await service.client.call('overview.instance', { params: { id } });
    expect(data.deployments?.data).toHaveLength(20);
    expect(data.deployments?.total).toBe(501);
  });

  it('a caller reads only the parts of the overview that its permissions cover', async () => {
    const service = await installation.inNewAccount();
    const { data } = await service.client.call('keys.create', {
      body: { name: 'reader', permissions: ['servers:read'] },
    });
    const { json } = await service.request('GET', '/overview', { key: data.key });
    expect(json.data).toMatchObject({ servers: [], instances: null, deployments: null, events: null, by_status: null });
    expect(json.data.counts).toEqual({
      species: null,
      instances: null,
      definitions: null,
      deployments: null,
      upgrades: null,
      servers: 0,
      tenants: null,
      webhooks: null,
    });
  });
});

it('a step ends with its last line, began as long before as it took, and the one after it is current', () => {
  const at = (second: number) => `2030-01-01T00:00:0${second}.000Z`;
  const line = (number: number, step: string | null, message: string) => ({
    ...{ number, at: at(number), step, message },
    level: 'info' as const,
  });
  const log = [
    line(0, null, 'Claimed'),
    line(2, 'pull', 'Pulled app (1000 ms)'),
    line(3, 'pull', 'Pulled db (3000 ms)'),
    line(4, 'create', 'Created app (1000 ms)'),
  ];
  expect(stepsSoFar(log)).toEqual([
    { step: 'pull', started_at: at(0), finished_at: at(3) },
    { step: 'create', started_at: at(3), finished_at: at(4) },
    { step: 'start', started_at: at(4), finished_at: null },
  ]);
});
