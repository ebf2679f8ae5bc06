import { canonical } from '@hortus/template/canonical/canonical';
import { parse } from '@hortus/template/source/parse';
import { INKWELL, SEED } from '@hortus/template/testing/inkwell';
import { until } from '@hortus/testkit/until';
import { beforeEach, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { publish } from '../templates/publish.ts';

const SECRET = 'hunter2hunter2';

/** Builds a later version of Inkwell. */
const inkwell = (version: string, edit: (text: string) => string = (text) => text) =>
  canonical(parse(edit(INKWELL).replace('version: 1.2.0', `version: ${version}`)).value as never);

onBothEngines((engine) => {
  let service: RunningService;
  let number = 0;
  beforeEach(async () => {
    service = await startApp(engine);
  });

  /**
   * Publishes a version as another replica would and waits until this one knows it. Scans explicitly, to avoid a race
   * with the scan job.
   */
  async function release(version: string, edit?: (text: string) => string): Promise<void> {
    await publish(service.database, inkwell(version, edit), null, () => new Error('taken'));
    // Approving a recipe makes this replica reload its catalog.
    const { client } = service;
    const spec = SEED.replace('slug: seed', `slug: sprout-${++number}`);
    const body = { slug: `sprout-${number}`, name: 'Sprout', description: 'Small', spec };
    const { id } = (await client.call('recipes.submit', { body })).data;
    await client.call('recipes.approve', { params: { id } });
  }
  async function deployNew(inputs: Record<string, string> = {}) {
    const { client } = service;
    const server = await client.call('servers.register', {
      body: { name: `server-${++number}`, environment: 'staging' },
    });
    const body = {
      species: 'inkwell',
      instance_uid: `blog-${number}`,
      server_id: server.data.id,
      inputs: { WEB_HOSTNAME: 'blog.example.org', ...inputs },
    };
    const definition = (await client.call('definitions.create', { body })).data;
    await deploy(definition.id);
    const [instance] = (await client.call('instances.list', { query: { definition_id: definition.id } })).data;
    return { definitionId: definition.id, instanceId: instance?.id ?? '', serverId: server.data.id };
  }
  async function deploy(definition_id: string) {
    const { client } = service;
    const { id } = (await client.call('deployments.execute', { body: { definition_id } })).data;
    await client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  }
  const scan = async (body: { instance_id?: string } = {}) =>
    (await service.client.call('upgrades.scan', { body })).data;
  const list = async (query = {}) => (await service.client.call('upgrades.list', { query })).data;
  const ack = (id: string) => service.request('POST', `/upgrades/${id}/ack`);

  it('no upgrade is found while the newest version runs', async () => {
    await deployNew();
    expect(await scan()).toMatchObject({ scanned: 1, found: 0, superseded: 0, available: 0 });
    expect(await list()).toEqual([]);
  });

  it('an upgrade lists the changes of a newer version against the choices, without secrets', async () => {
    const { instanceId, definitionId, serverId } = await deployNew({ LOG_LEVEL: 'debug', SMTP_PASSWORD: SECRET });
    await release('1.3.0', (text) =>
      text
        .replace('WORKERS: 2', 'WORKERS: 4')
        .replace('options: [{value: info}, {value: debug}]', 'options: [{value: info}]')
        .replace('required: [', 'required: [{name: LICENCE, type: string}, '),
    );
    expect(await scan()).toMatchObject({ scanned: 1, available: 1 });
    const [upgrade] = await list();
    expect(upgrade).toMatchObject({
      instance_id: instanceId,
      definition_id: definitionId,
      server_id: serverId,
      species: 'inkwell',
      from_version: '1.2.0',
      to_version: '1.3.0',
      status: 'available',
      ready: false,
      conflicts: [{ field: 'inputs.LOG_LEVEL', reason: 'input_invalid' }],
      new_inputs: [{ name: 'LICENCE', required: true }],
      irreversible: [{ component: 'migrate', reason: 'job' }],
    });
    expect(upgrade?.changes).toContainEqual({
      area: 'env',
      component: 'app',
      name: 'WORKERS',
      change: 'changed',
      from: '2',
      to: '4',
    });
    expect(JSON.stringify(upgrade)).not.toContain(SECRET);
  });

  it('an upgrade reflects the current choices', async () => {
    const { definitionId } = await deployNew({ LOG_LEVEL: 'debug' });
    await release('1.3.0', (text) =>
      text.replace('options: [{value: info}, {value: debug}]', 'options: [{value: info}]'),
    );
    await scan();
    expect((await list())[0]).toMatchObject({ ready: false });
    const template = await service.client.call('templates.list', { query: { species: 'inkwell', versions: 'all' } });
    const old = template.data.find(({ version }) => version === '1.2.0');
    await service.client.call('definitions.update', {
      params: { id: definitionId },
      body: { params: { LOG_LEVEL: 'info' } },
    });
    await deploy(definitionId);
    const [upgrade] = await list();
    expect(upgrade).toMatchObject({ from_template_id: old?.id, ready: true, conflicts: [] });
  });

  it('an upgrade is found once, and replaced by a newer version', async () => {
    await deployNew();
    await release('1.3.0');
    await Promise.all([scan(), scan(), scan()]);
    const [first, ...others] = await list();
    expect(others).toEqual([]);
    expect((await ack(first?.id ?? '')).json.data.status).toBe('acknowledged');
    expect(await scan()).toMatchObject({ found: 0, superseded: 0, available: 1 });
    await release('1.4.0');
    expect(await scan()).toMatchObject({ available: 1 });
    expect((await list()).map(({ to_version, status }) => [to_version, status])).toEqual([['1.4.0', 'available']]);
    expectRefusal(await ack(first?.id ?? ''), 'NOT_FOUND');
  });

  it('an upgrade disappears when its instance is released or already runs the newer version', async () => {
    const gone = await deployNew();
    await release('1.3.0');
    await scan();
    expect(await list()).toHaveLength(1);
    await service.database.run(
      service.database.engine === 'postgres'
        ? 'update instances set status = $1 where id = $2'
        : 'update instances set status = ? where id = ?',
      ['released', gone.instanceId],
    );
    expect(await list()).toEqual([]);
    expect(await scan()).toMatchObject({ scanned: 0, found: 0 });
  });

  describe('acknowledging an upgrade', () => {
    it('keeps it in the list, is audited, and is idempotent', async () => {
      await deployNew();
      await release('1.3.0');
      await scan();
      const id = (await list())[0]?.id ?? '';
      const { data } = (await ack(id)).json;
      expect(data).toMatchObject({ id, status: 'acknowledged', acknowledged_at: expect.any(String) });
      expect((await ack(id)).json.data).toMatchObject({ acknowledged_at: data.acknowledged_at });
      expect(await list({ status: 'acknowledged' })).toHaveLength(1);
      expect(await list({ status: 'available' })).toEqual([]);
      const events = service.database.db.selectFrom('events').select('type').where('resource_id', '=', id);
      expect((await events.orderBy('id').execute()).map(({ type }) => type)).toEqual([
        'audit.upgrade_found',
        'audit.upgrade_acknowledged',
      ]);
    });
  });

  it('one instance can be scanned on request, and the list filtered', async () => {
    const [item, other] = [await deployNew(), await deployNew()];
    await release('1.3.0');
    expect(await scan({ instance_id: item.instanceId })).toMatchObject({ scanned: 1, available: 1 });
    expect(await scan()).toMatchObject({ scanned: 2, available: 2 });
    const ids = async (query: object) => (await list(query)).map(({ instance_id }) => instance_id);
    expect(await ids({ instance_id: item.instanceId })).toEqual([item.instanceId]);
    expect(await ids({ server_id: other.serverId })).toEqual([other.instanceId]);
    expect(await ids({ definition_id: other.definitionId })).toEqual([other.instanceId]);
    expect(await ids({ species: 'inkwell', per_page: 1, page: 2 })).toEqual([item.instanceId]);
    expect(await ids({ species: 'seed' })).toEqual([]);
    const neighbour = await service.addAccount();
    expectRefusal(
      await neighbour.request('POST', '/upgrades/scan', { body: { instance_id: item.instanceId } }),
      'VALIDATION_ERROR',
      'instance_id',
    );
    expect((await neighbour.client.call('upgrades.scan', { body: {} })).data.scanned).toBe(0);
  });

  it('an upgrade is found as soon as a version is published', async () => {
    await deployNew();
    await release('1.3.0');
    await until(async () => (await list()).length === 1, { describe: 'the scan' });
  });

  it('an upgrade of a private template is found for its account, and never leads to a catalog template of the same name', async () => {
    const { client } = service;
    const promote = async (text: string) => {
      const { id } = (await client.call('drafts.create', { body: { source: text } })).data;
      await client.call('drafts.validate', { params: { id } });
      return (await client.call('drafts.promote', { params: { id } })).data;
    };
    const inCatalog = await deployNew();
    await promote(INKWELL.replace('version: 1.2.0', 'version: 7.0.0'));
    const own = await deployNew();
    await promote(INKWELL.replace('version: 1.2.0', 'version: 7.1.0'));
    await until(async () => (await list()).length === 1, { describe: 'the scan' });
    await scan();
    expect((await list()).map(({ instance_id, to_version }) => [instance_id, to_version])).toEqual([
      [own.instanceId, '7.1.0'],
    ]);
    expect(inCatalog.instanceId).not.toBe(own.instanceId);
  });

  it('an upgrade is found by the periodic scan', async () => {
    await deployNew();
    await release('1.3.0');
    // Pretend that a day has passed.
    await service.database.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'upgrades.scan').execute();
    await until(async () => (await list()).length === 1, { describe: 'the scan' });
  });
});
