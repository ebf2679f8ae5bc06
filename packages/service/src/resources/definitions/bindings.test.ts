import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { writeProviders } from '../../testing/provider-templates.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, type RunningService, startApp, type TestResponse } from '../../testing/running-service.ts';

const PASSWORD = 'correct horse battery staple';
const mail = { host: 'smtp.example.org', port: '587', username: 'noreply', password: PASSWORD };

/** Expects a refusal that names the whole path of the field. */
const expectField = (response: TestResponse, field: string) => {
  expectRefusal(response, 'VALIDATION_ERROR');
  expect(response.json.error.details.field).toBe(field);
};

onBothEngines((engine) => {
  const folder = temporaryFolder('providers');
  afterAll(() => folder.remove());
  let service: RunningService;
  let server: string;
  let number = 0;
  let pool: { id: string; instance_uid: string };

  beforeAll(async () => {
    const catalogDirectory = await writeProviders(join(folder.path, engine.name));
    service = await startApp(engine, { catalogDirectory });
    server = await register('attic');
  });
  beforeEach(async () => {
    pool = await defined({ species: 'pool' });
  });

  const register = async (name: string, caller: Caller = service) =>
    (await caller.request('POST', '/servers/register', { body: { name, environment: 'staging' } })).json.data.id;
  const define = (body: object, caller: Caller = service) =>
    caller.request('POST', '/definitions', {
      body: { instance_uid: `uid-${++number}`, server_id: server, inputs: {}, ...body },
    });
  const defined = async (body: object) => (await define(body)).json.data;
  const desk = (bindings: object, more: object = {}) => define({ species: 'desk', bindings, ...more });
  const connection = async (caller: Caller = service, body: object = {}) =>
    (
      await caller.request('POST', '/connections', {
        body: { name: `Mail ${++number}`, class: 'email.smtp', attributes: mail, ...body },
      })
    ).json.data;
  const planned = (id: string) => service.request('POST', `/definitions/${id}/plan`);
  const change = (id: string, bindings: object) => service.request('PUT', `/definitions/${id}`, { body: { bindings } });

  it('a need is bound to an instance or a connection, and the record shows to which', async () => {
    const { id } = await connection();
    const { json } = await desk({ db: { instance: pool.instance_uid }, mail: { connection: id } });
    const bindings = {
      db: { instance: pool.instance_uid, definition_id: pool.id },
      mail: { connection: id },
    };
    expect(json.data.bindings).toEqual(bindings);
    const used_by = [{ definition_id: json.data.id, instance_uid: json.data.instance_uid, need: 'mail' }];
    expect((await service.request('GET', `/connections/${id}`)).json.data.used_by).toEqual(used_by);
    const revised = await change(json.data.id, { mail: null });
    expect(revised.json.data.bindings).toEqual({ db: bindings.db });
    const { json: revisions } = await service.request('GET', `/definitions/${json.data.id}/revisions`);
    expect(revisions.data[0].changes).toEqual([{ field: 'bindings.mail', change: 'removed', before: id }]);
    const restored = await service.request('POST', `/definitions/${json.data.id}/revisions/1/restore`);
    expect(restored.json.data.bindings).toEqual(bindings);
  });

  it('the manifest connects only the components that use the instance, and shows no attribute', async () => {
    const { id } = await connection();
    const { json } = await desk({ db: { instance: pool.instance_uid }, mail: { connection: id } });
    const { instance_uid } = json.data;
    const manifest = (await service.request('GET', `/manifest?instance_uid=${instance_uid}`)).json.data;
    const component = (name: string) =>
      manifest.components.find((component: { name: string }) => component.name === name);
    expect(component('app').links).toEqual([
      { instance: pool.instance_uid, definition_id: pool.id, component: 'main' },
    ]);
    expect(component('aside').links).toBeUndefined();
    expect(component('app').env).toMatchObject({ DATABASE_URL: null, MAIL_PASSWORD: null });
    expect(JSON.stringify(manifest)).not.toContain(PASSWORD);
  });

  it('reports of a daemon show no secret of what a definition is bound to', async () => {
    const registered = { name: `reporting-${++number}`, environment: 'staging' };
    const { data } = (await service.request('POST', '/servers/register', { body: registered })).json;
    const provider = await defined({ species: 'pool', server_id: data.id });
    const { id } = await connection();
    const bindings = { db: { instance: provider.instance_uid }, mail: { connection: id } };
    const { json } = await desk(bindings, { server_id: data.id });
    const revealed = `/vault/definitions/${provider.id}/secrets/DB_PASSWORD/reveal`;
    const { value } = (await service.request('POST', revealed)).json.data;
    // It still runs with the connection that the newest revision has no more.
    await change(json.data.id, { mail: null });
    const other = (await desk(bindings, { server_id: data.id })).json.data;
    const ordered = async (definition_id: string) =>
      (await service.request('POST', '/deployments/execute', { body: { definition_id } })).json.data.id;
    const [deployment, second] = [await ordered(json.data.id), await ordered(other.id)];
    const said = `no ${PASSWORD}, ${encodeURIComponent(PASSWORD)}, ${value}`;
    const logs = [{ at: new Date().toISOString(), level: 'info', message: said }];
    const report = async (method: 'PATCH' | 'POST', path: string, body: object) => {
      const { status, json: response } = await service.request(method, path, { body, key: data.api_key });
      expect(status, JSON.stringify(response)).toBe(200);
    };
    await report('PATCH', `/deployments/${deployment}/status`, { status: 'running', logs });
    const failed = { status: 'failed', error: said, last_lines: [said], logs };
    await report('POST', '/deploy/report', { deployment_id: deployment, ...failed });
    const read = await service.request('GET', `/deployments/${deployment}`);
    expect(read.json.data).toMatchObject({ status: 'failed', error: 'no ***, ***, ***' });
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), value])
      expect(JSON.stringify(read.json)).not.toContain(secret);
    const instance = read.json.data.instance_id;
    const url = `https://desk.example.org/?key=${encodeURIComponent(PASSWORD)}`;
    await report('POST', '/deploy/report', {
      deployment_id: second,
      status: 'success',
      instance: { status: 'running', url },
    });
    const drift = [{ component: 'app', field: `env.${PASSWORD}`, declared: said, actual: { text: said } }];
    await report('POST', `/instances/${instance}/drift`, { drift });
    const after = JSON.stringify((await service.request('GET', '/instances')).json);
    expect(after).toContain('"status":"running"');
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), value]) expect(after).not.toContain(secret);
  });

  it('a required need without a binding fails the plan by its name', async () => {
    const { id } = await defined({ species: 'desk' });
    expectRefusal(await planned(id), 'VALIDATION_ERROR', 'definition_id');
    expect((await planned(id)).json.error.message).toContain('needs.db is not met');
  });

  it('an unbound optional need falls back to the input', async () => {
    const { json } = await desk({ db: { instance: pool.instance_uid } }, { inputs: { SMTP_HOST: 'mail.example.org' } });
    const manifest = await service.request('GET', `/manifest?instance_uid=${json.data.instance_uid}`);
    const aside = manifest.json.data.components.find((component: { name: string }) => component.name === 'aside');
    expect(aside.env.MAIL).toBe('mail.example.org');
  });

  it('an instance on another server is refused unless its address is public', async () => {
    const away = await register(`shed-${++number}`);
    const far = await defined({ species: 'pool', server_id: away });
    const refused = await desk({ db: { instance: far.instance_uid } });
    expectField(refused, 'bindings.db');
    expect(refused.json.error.details.reason).toBe('other_server');
    const gate = await defined({
      species: 'gate',
      server_id: away,
      inputs: { WEB_HOSTNAME: `id${number}.example.org` },
    });
    const { json } = await desk({ db: { instance: pool.instance_uid }, login: { instance: gate.instance_uid } });
    expect((await planned(json.data.id)).status).toBe(200);
  });

  it('an instance that lacks a used attribute is refused, and a saved connection is accepted', async () => {
    const gate = await defined({ species: 'gate', inputs: { WEB_HOSTNAME: `id${++number}.example.org` } });
    const refused = await define({ species: 'kiosk', bindings: { login: { instance: gate.instance_uid } } });
    expectField(refused, 'bindings.login');
    expect(refused.json.error.details.reason).toBe('incomplete');
    expect(refused.json.error.message).toContain('provides no client_id; save its details as a connection');
    const attributes = { issuer: 'https://id.example.org/', client_id: 'kiosk', client_secret: PASSWORD };
    const { id } = await connection(service, { class: 'identity.oidc', attributes });
    const { json } = await define({ species: 'kiosk', bindings: { login: { connection: id } } });
    expect((await planned(json.data.id)).status).toBe(200);
  });

  it.each([
    ['a need that the template does not have', { cache: { instance: 'x' } }, 'bindings.cache'],
    ['an unknown instance', { db: { instance: 'nowhere' } }, 'bindings.db'],
    ['an unknown connection', { mail: { connection: 'con_01j9zq3v5t8x2m4n6p7r9s0abc' } }, 'bindings.mail'],
    ['both at once', { db: { instance: 'x', connection: 'y' } }, 'bindings.db'],
    ['neither', { db: {} }, 'bindings.db'],
  ])('%s is refused by the name of its field', async (_, bindings, field) => {
    expectField(await desk(bindings), field);
  });

  it('another class is refused', async () => {
    const { id } = await connection();
    expectField(await desk({ db: { connection: id } }), 'bindings.db');
    const seed = await defined({ species: 'seed' });
    expectField(await desk({ db: { instance: seed.instance_uid } }), 'bindings.db');
  });

  describe('another account', () => {
    it('cannot bind to connections and instances that are not its own', async () => {
      const other = await service.addAccount();
      const theirs = await register('theirs', other);
      const { id } = await connection();
      const from = (bindings: object) => define({ species: 'desk', bindings, server_id: theirs }, other);
      expectField(await from({ mail: { connection: id } }), 'bindings.mail');
      expectField(await from({ db: { instance: pool.instance_uid } }), 'bindings.db');
      const providers = await other.request('GET', '/connections/providers?class=database.postgres');
      expect(providers.json.data).toEqual([]);
    });
  });

  it('a tenant cannot use the instance of another tenant', async () => {
    const tenant = async (name: string) =>
      (await service.request('POST', '/tenants', { body: { name: `${name}-${++number}`, server_id: server } })).json
        .data.id;
    const [item, two] = [await tenant('one'), await tenant('two')];
    const owned = await defined({ species: 'pool', tenant_id: item });
    const bindings = { db: { instance: owned.instance_uid } };
    expectField(await desk(bindings, { tenant_id: two }), 'bindings.db');
    expectField(await desk(bindings), 'bindings.db');
    expect((await desk(bindings, { tenant_id: item })).status).toBe(201);
    expect((await desk({ db: { instance: pool.instance_uid } }, { tenant_id: two })).status).toBe(201);
    const removed = await service.request('DELETE', `/tenants/${item}?force=true`);
    expect(removed.status).toBe(200);
  });

  it('a key without the permission to read connections cannot bind to them', async () => {
    const { id } = await connection();
    const permissions = ['definitions:write', 'definitions:read'];
    const { json } = await service.request('POST', '/account/keys', { body: { name: 'ci', permissions } });
    const body = { species: 'desk', instance_uid: `uid-${++number}`, server_id: server, inputs: {} };
    const asKey = (bindings: object) =>
      service.request('POST', '/definitions', { key: json.data.key, body: { ...body, bindings } });
    expectRefusal(await asKey({ mail: { connection: id } }), 'FORBIDDEN');
    expectRefusal(await asKey({ db: { instance: pool.instance_uid } }), 'FORBIDDEN');
  });

  it('what is in use is neither deleted nor archived, and the refusal names the definitions', async () => {
    const { id } = await connection();
    const { json } = await desk({ db: { instance: pool.instance_uid }, mail: { connection: id } });
    const { id: own, instance_uid } = json.data;
    for (const path of [`/connections/${id}`, `/definitions/${pool.id}`]) {
      const refused = await service.request('DELETE', path);
      expectRefusal(refused, 'VALIDATION_ERROR', 'id');
      expect(refused.json.error.message).toContain(instance_uid);
    }
    await service.request('DELETE', `/definitions/${own}`);
    for (const path of [`/connections/${id}`, `/definitions/${pool.id}`])
      expect((await service.request('DELETE', path)).status).toBe(200);
    await service.request('POST', `/definitions/${own}/activate`);
    expect((await planned(own)).json.error.message).toContain('needs.db is bound to the instance');
    expectField(await service.request('POST', `/definitions/${own}/revisions/1/restore`), 'bindings.db');
  });

  it('providers lists the definitions that can meet a need', async () => {
    const { json } = await service.request('GET', '/connections/providers?class=database&per_page=100');
    expect(json.data).toContainEqual(
      expect.objectContaining({ definition_id: pool.id, species: 'pool', class: 'database.postgres' }),
    );
    expect(json.data.every((item: { species: string }) => item.species === 'pool')).toBe(true);
  });
});
