import { createClient } from '@hortus/client/client';
import type { Permission } from '@hortus/contract/permissions';
import { INKWELL } from '@hortus/template/testing/inkwell';
import { until } from '@hortus/testkit/until';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defaultRetention } from '../../retention/periods.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { retentionRules } from '../../wiring/retention-rules.ts';
import { Gardener, inkwell } from './testing/gardener.ts';

onBothEngines((engine) => {
  let installation: RunningService;
  let service: RunningService;
  let gardener: Gardener;
  beforeAll(async () => {
    installation = await startApp(engine);
  });
  beforeEach(async () => {
    service = await installation.inNewAccount();
    gardener = new Gardener(service);
    await gardener.server('attic');
  });
  const home = (definitions: object, more: object = {}) => ({ garden: { name: 'home', definitions, ...more } });
  const secretly = (definitions: object, value: string) => ({ ...home(definitions), values: { 'env.SMTP': value } });
  const withPassword = inkwell('blog', 'attic', {
    inputs: { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: '${env.SMTP}' },
  });

  describe('applying a garden', () => {
    it('creates and deploys what the file has, and the second time changes nothing', async () => {
      const files = home({ ...inkwell('blog', 'attic'), ...inkwell('notes', 'attic', { heal: true }) });
      const plan = await gardener.plan(files);
      expect(plan.counts).toMatchObject({ create: 2, update: 0, unchanged: 0 });
      const run = await gardener.applied(files);
      expect(run).toMatchObject({ status: 'succeeded', done: 2, garden_name: 'home' });
      expect(
        (await gardener.definitions()).map(({ instance_uid, heal, status }) => [instance_uid, heal, status]),
      ).toEqual(
        expect.arrayContaining([
          ['blog', false, 'active'],
          ['notes', true, 'active'],
        ]),
      );
      const again = await gardener.apply(files);
      expect(again).toMatchObject({ status: 'succeeded', changes: [], counts: { unchanged: 2, create: 0 } });
      expect((await service.eventsOf()).map(({ type }) => type).filter((type) => type.startsWith('garden.'))).toEqual([
        'garden.planned',
        'garden.applied',
        'garden.planned',
        'garden.applied',
      ]);
    });

    it('changes only what differs, field by field, and removes inputs that left the file', async () => {
      const inputs = { WEB_HOSTNAME: 'blog.example.org', SITE_TITLE: 'Old', LOG_LEVEL: 'debug' };
      await gardener.applied(home({ ...inkwell('blog', 'attic', { inputs }), ...inkwell('notes', 'attic') }));
      const changed = { ...inputs, SITE_TITLE: 'New' };
      const { LOG_LEVEL: _, ...left } = changed;
      const files = home({
        ...inkwell('blog', 'attic', { inputs: left, watch_seconds: 5, backup: { schedule: 'daily' } }),
        ...inkwell('notes', 'attic'),
      });
      const { changes, counts } = await gardener.plan(files);
      expect(counts).toMatchObject({ update: 1, unchanged: 1 });
      expect(changes.map(({ key, action, fields }) => [key, action, fields])).toEqual([
        [
          'blog',
          'update',
          [
            { field: 'backup.schedule', change: 'changed', before: 'off', after: 'daily' },
            { field: 'inputs.LOG_LEVEL', change: 'removed', before: 'debug' },
            { field: 'inputs.SITE_TITLE', change: 'changed', before: 'Old', after: 'New' },
            { field: 'watch_seconds', change: 'changed', before: 60, after: 5 },
          ],
        ],
      ]);
      expect(await gardener.applied(files)).toMatchObject({ status: 'succeeded' });
      const blog = (await gardener.definitions()).find(({ instance_uid }) => instance_uid === 'blog');
      expect(blog).toMatchObject({
        inputs: left,
        watch_seconds: 5,
        backup: { schedule: 'daily' },
        current_revision: 2,
      });
      expect((await gardener.plan(files)).changes).toEqual([]);
    });

    it('deploys what others need first, and at most four at once', async () => {
      const names = ['a', 'b', 'c', 'd', 'e'];
      const files = home({
        ...Object.assign({}, ...names.map((name) => inkwell(name, 'attic'))),
        ...inkwell('app', 'attic', { needs: ['z'] }),
        ...inkwell('z', 'attic'),
      });
      const { id } = await gardener.apply(files);
      const first = await gardener.deploying(id, 4);
      expect(first.map(({ key }) => key)).not.toContain('app');
      for (const { deployment_id } of first) await gardener.report(deployment_id ?? '', 'success');
      const run = await gardener.succeeds(id);
      expect(run.status).toBe('succeeded');
      const { data } = await service.client.call('deployments.list', { query: { per_page: 100 } });
      const uidOf = new Map(run.changes.map(({ id: definition, key }) => [definition, key]));
      const order = data.map(({ definition_id }) => uidOf.get(definition_id)).reverse();
      expect(order.indexOf('z')).toBeLessThan(order.indexOf('app'));
    });

    it('stops after the first failure, follows what runs to its end, and continues with the next run', async () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      const files = home(Object.assign({}, ...names.map((name) => inkwell(name, 'attic'))));
      const { id } = await gardener.apply(files);
      const [broken, ...others] = await gardener.deploying(id, 4);
      await gardener.report(broken?.deployment_id ?? '', 'failed', 'the port is in use');
      await until(async () => (await gardener.run(id)).changes.some(({ state }) => state === 'failed'), {
        describe: 'the failure',
      });
      expect((await gardener.run(id)).status).toBe('applying');
      for (const { deployment_id } of others) await gardener.report(deployment_id ?? '', 'success');
      const failed = await gardener.ended(id);
      expect(failed).toMatchObject({
        status: 'failed',
        reason: 'change',
        error: `definition ${broken?.key}: the port is in use`,
        done: 3,
      });
      expect(failed.changes.filter(({ state }) => state === 'skipped')).toHaveLength(2);
      const { counts } = await gardener.plan(files);
      expect(counts).toMatchObject({ create: 2, deploy: 1, unchanged: 3 });
      expect(await gardener.applied(files)).toMatchObject({ status: 'succeeded' });
      expect(await gardener.definitions()).toHaveLength(6);
    });

    it('keeps the old state of a definition whose change fails, and plans the change again', async () => {
      await gardener.applied(home(inkwell('blog', 'attic')));
      const inputs = { WEB_HOSTNAME: 'blog.example.org', SITE_TITLE: 'Broken' };
      const files = home(inkwell('blog', 'attic', { inputs }));
      const { id } = await gardener.apply(files);
      const [change] = await gardener.deploying(id, 1);
      await gardener.report(change?.deployment_id ?? '', 'failed', 'unhealthy');
      expect(await gardener.ended(id)).toMatchObject({ status: 'failed' });
      const [blog] = await gardener.definitions();
      expect(blog).toMatchObject({ current_revision: 1, inputs: { WEB_HOSTNAME: 'blog.example.org' } });
      expect((await gardener.plan(files)).counts).toMatchObject({ update: 1 });
    });

    it('answers the running run to the same files, and refuses other files meanwhile', async () => {
      const files = home(inkwell('blog', 'attic'));
      const first = await gardener.apply(files);
      await gardener.deploying(first.id, 1);
      expect((await gardener.apply(files)).id).toBe(first.id);
      const other = await service.request('POST', '/gardens/apply', { body: home(inkwell('other', 'attic')) });
      expectRefusal(other, 'VALIDATION_ERROR', 'garden');
      expect(other.json.error.details).toMatchObject({ reason: 'applying', run_id: first.id });
      expect(await gardener.succeeds(first.id)).toMatchObject({ status: 'succeeded' });
    });

    it('refuses a plan that has changed since it was shown', async () => {
      const files = home(inkwell('blog', 'attic'));
      const { plan_hash } = await gardener.plan(files);
      const body = { ...home(inkwell('blog', 'attic', { heal: true })), plan_hash };
      const response = await service.request('POST', '/gardens/apply', { body });
      expectRefusal(response, 'VALIDATION_ERROR', 'plan_hash');
      expect(await gardener.definitions()).toEqual([]);
    });

    it('orders nothing new once it was cancelled', async () => {
      const files = home({ ...inkwell('app', 'attic', { needs: ['db'] }), ...inkwell('db', 'attic') });
      const { id } = await gardener.apply(files);
      const [db] = await gardener.deploying(id, 1);
      await service.client.call('gardens.cancel', { params: { id } });
      await service.client.call('gardens.cancel', { params: { id } });
      await gardener.report(db?.deployment_id ?? '', 'success');
      expect(await gardener.ended(id)).toMatchObject({ status: 'failed', reason: 'cancelled', done: 1 });
      expect(await gardener.definitions()).toHaveLength(1);
    });

    it('chooses the least loaded server of a placement, once', async () => {
      await gardener.server('barn');
      const placed = (uid: string, placement: object) => ({
        [uid]: { species: 'inkwell', placement, inputs: { WEB_HOSTNAME: `${uid}.example.org` } },
      });
      const files = home({ ...inkwell('a', 'attic'), ...placed('b', {}), ...placed('c', { servers: ['attic'] }) });
      const { changes } = await gardener.plan(files);
      const servers = Object.fromEntries(
        changes.map(({ key, fields }) => [key, fields.find(({ field }) => field === 'server')?.after]),
      );
      expect(servers).toEqual({ a: 'attic', b: 'barn', c: 'attic' });
      await gardener.applied(files);
      expect((await gardener.plan(files)).changes).toEqual([]);
    });

    it('a server registered without data:export is never chosen for a placement', async () => {
      const { data: thief } = await service.client.call('keys.create', {
        body: { name: 'thief', permissions: ['servers:write'] },
      });
      const body = { name: 'lure', environment: 'production' as const, labels: { site: 'lure' } };
      const registered = await service.request('POST', '/servers/register', { body, key: thief.key });
      expect(registered.status).toBe(201);
      const lure = createClient({ baseUrl: service.base, key: registered.json.data.api_key });
      await lure.call('deployments.pending', {});
      const placed = (uid: string, placement: object) => ({
        [uid]: { species: 'inkwell', placement, inputs: { WEB_HOSTNAME: `${uid}.example.org` } },
      });
      const { changes } = await gardener.plan(home({ ...placed('a', {}), ...placed('b', {}) }));
      const servers = changes.map(({ fields }) => fields.find(({ field }) => field === 'server')?.after);
      expect(servers).toEqual(['attic', 'attic']);
      const { problems } = await gardener.plan(home(placed('c', { labels: { site: 'lure' } })));
      expect(problems).toMatchObject([
        { field: 'definitions.c.placement', message: expect.stringContaining('is trusted (lure); rotate the key') },
      ]);
    });

    it('chooses only servers with the labels of a placement', async () => {
      await gardener.server('barn');
      const { data: servers } = await service.client.call('servers.list');
      const barn = servers.find(({ name }) => name === 'barn')?.id ?? '';
      await service.client.call('servers.update', { params: { id: barn }, body: { labels: { site: 'berlin' } } });
      const placed = (uid: string, site: string) => ({
        [uid]: { species: 'inkwell', placement: { labels: { site } }, inputs: { WEB_HOSTNAME: `${uid}.example.org` } },
      });
      const { changes } = await gardener.plan(home({ ...placed('a', 'berlin'), ...placed('b', 'berlin') }));
      const servedBy = changes.map(({ fields }) => fields.find(({ field }) => field === 'server')?.after);
      expect(servedBy).toEqual(['barn', 'barn']);
      const { problems } = await gardener.plan(home(placed('a', 'paris')));
      expect(problems).toMatchObject([
        { field: 'definitions.a.placement', message: 'no server with these labels takes new work' },
      ]);
    });
  });

  describe('pruning', () => {
    it('archives what left the file only with prune and only if this garden made it', async () => {
      const foreign = { species: 'inkwell', instance_uid: 'foreign', server_id: '' };
      const { data: servers } = await service.client.call('servers.list');
      const body = { ...foreign, server_id: servers[0]?.id ?? '', inputs: { WEB_HOSTNAME: 'f.example.org' } };
      await service.client.call('definitions.create', { body });
      const adopted = inkwell('foreign', 'attic', { inputs: { WEB_HOSTNAME: 'f.example.org', SITE_TITLE: 'Ours' } });
      await gardener.applied(home({ ...inkwell('blog', 'attic'), ...inkwell('notes', 'attic'), ...adopted }));
      const files = home(inkwell('blog', 'attic'));
      expect((await gardener.plan(files)).changes).toEqual([]);
      const pruning = { ...files, prune: true };
      expect((await gardener.plan(pruning)).changes.map(({ key, action }) => [key, action])).toEqual([
        ['notes', 'archive'],
      ]);
      expect(await gardener.applied(pruning)).toMatchObject({ status: 'succeeded' });
      expect((await gardener.definitions()).map(({ instance_uid }) => instance_uid).sort()).toEqual([
        'blog',
        'foreign',
      ]);
      expect((await gardener.plan(pruning)).changes).toEqual([]);
    });

    it('a garden cannot change or prune what another garden has', async () => {
      await gardener.applied(home(inkwell('blog', 'attic')));
      const other = { garden: { name: 'other', definitions: inkwell('blog', 'attic', { heal: true }) }, prune: true };
      expect((await gardener.plan(other)).problems).toMatchObject([
        { field: 'definitions.blog', message: expect.stringContaining('belongs to the garden home') },
      ]);
      expectRefusal(await service.request('POST', '/gardens/apply', { body: other }), 'VALIDATION_ERROR', 'garden');
      expect((await gardener.plan({ garden: { name: 'other' }, prune: true })).changes).toEqual([]);
    });

    it('a forgotten garden leaves everything as it is and owns nothing any more', async () => {
      const { garden_id } = await gardener.applied(home(inkwell('blog', 'attic')));
      const { data } = await service.client.call('gardens.delete', { params: { id: garden_id } });
      expect(data).toMatchObject({ name: 'home', items: 1 });
      expect(await gardener.definitions()).toHaveLength(1);
      expect((await gardener.plan({ garden: { name: 'home' }, prune: true })).changes).toEqual([]);
    });
  });

  describe('secrets of a garden', () => {
    const storedRun = () =>
      service.database.db
        .selectFrom('garden_runs')
        .selectAll()
        .where('account_id', '=', service.accountId)
        .executeTakeFirstOrThrow();

    it('are compared with the stored ones, and never shown', async () => {
      const run = await gardener.applied(secretly(withPassword, 'hunter2hunter2'));
      expect((await gardener.plan(secretly(withPassword, 'hunter2hunter2'))).changes).toEqual([]);
      const plan = await gardener.plan(secretly(withPassword, 'another-password'));
      expect(plan.changes[0]?.fields).toEqual([{ field: 'inputs.SMTP_PASSWORD', change: 'changed', secret: true }]);
      expect(JSON.stringify([run, plan])).not.toMatch(/hunter2|another-password/);
      const row = await storedRun();
      expect(row.orders).toBe('');
    });

    it('keep their stored value if the file leaves them out', async () => {
      await gardener.applied(secretly(withPassword, 'hunter2hunter2'));
      expect((await gardener.plan(home(inkwell('blog', 'attic')))).changes).toEqual([]);
    });

    it('are stored encrypted while a run needs them', async () => {
      await gardener.apply(secretly(withPassword, 'hunter2hunter2'));
      const row = await storedRun();
      expect(row.orders).not.toBe('');
      expect(JSON.stringify(row)).not.toContain('hunter2');
    });

    it('that stand in the file or have no value are reported by name', async () => {
      const literal = inkwell('blog', 'attic', {
        inputs: { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: 'hunter2hunter2' },
      });
      expect((await gardener.plan(home(literal))).problems).toEqual([
        {
          field: 'definitions.blog.inputs.SMTP_PASSWORD',
          message: expect.stringContaining('secrets do not stand in a garden'),
        },
      ]);
      const unresolved = home(withPassword);
      expect(await gardener.plan(unresolved)).toMatchObject({ unresolved: ['env.SMTP'], problems: [] });
      const response = await service.request('POST', '/gardens/apply', { body: unresolved });
      expectRefusal(response, 'VALIDATION_ERROR', 'values');
    });

    it('cannot be guessed with a key that may not change them', async () => {
      await gardener.applied(secretly(withPassword, 'hunter2hunter2'));
      const body = { name: 'reader', permissions: ['gardens:read' as const, 'definitions:read' as const] };
      const { key } = (await service.client.call('keys.create', { body })).data;
      for (const guess of ['hunter2hunter2', 'another-password']) {
        const response = await service.request('POST', '/gardens/plan', { body: secretly(withPassword, guess), key });
        expect(response.json.data.changes).toEqual([]);
      }
    });
  });

  it('a key cannot do by a garden what it may not do directly', async () => {
    const permissions: Permission[] = ['gardens:write', 'definitions:write', 'registries:read'];
    const body = { name: 'half', permissions };
    const { key } = (await service.client.call('keys.create', { body })).data;
    const response = await service.request('POST', '/gardens/apply', { body: home(inkwell('blog', 'attic')), key });
    expectRefusal(response, 'FORBIDDEN');
    expect(response.json.error.details).toMatchObject({ permission: 'deployments:execute' });
    const registries = { garden: { name: 'home', registries: { 'r.example.org': { username: 'u' } } } };
    const refused = await service.request('POST', '/gardens/apply', { body: registries, key });
    expect(refused.json.error.details).toMatchObject({ permission: 'registries:write' });
  });

  it('a plan does not show definitions to a key that may not read them', async () => {
    await gardener.applied(home(inkwell('blog', 'attic')));
    const body = { name: 'blind', permissions: ['gardens:read' as const] };
    const { key } = (await service.client.call('keys.create', { body })).data;
    const response = await service.request('POST', '/gardens/plan', {
      body: home(inkwell('blog', 'attic', { heal: true })),
      key,
    });
    expectRefusal(response, 'FORBIDDEN');
    expect(response.json.error.details).toMatchObject({ permission: 'definitions:read' });
  });

  it('a key that may not read definitions learns nothing from the problems of a plan', async () => {
    const body = { name: 'blind', permissions: ['gardens:read' as const] };
    const { key } = (await service.client.call('keys.create', { body })).data;
    for (const server of ['attic', 'cellar']) {
      const files = home(inkwell('blog', server, { tenant: 'no-such-tenant' }));
      expectRefusal(await service.request('POST', '/gardens/plan', { body: files, key }), 'FORBIDDEN');
    }
  });

  it('a run shows values only to a key that may read them', async () => {
    const inputs = { WEB_HOSTNAME: 'blog.example.org', SITE_TITLE: 'Private notes' };
    const template = '{"key": "token-in-a-template", "text": "{{title}}"}';
    const pager = { type: 'url', url: '${env.PAGER}', template };
    const phone = { type: 'gotify', url: 'https://203.0.113.8/path-of-mine', token: '${env.GOTIFY}' };
    const files = {
      ...home(inkwell('blog', 'attic', { inputs }), { channels: { pager, phone } }),
      values: { 'env.PAGER': 'https://203.0.113.9/page', 'env.GOTIFY': 'gotify-token' },
    };
    const { id } = await gardener.applied(files);
    const withKey = async (permissions: Permission[]) => {
      const { key } = (await service.client.call('keys.create', { body: { name: 'reader', permissions } })).data;
      const read = async (path: string) => JSON.stringify((await service.request('GET', path, { key })).json);
      const changed = { ...pager, template: 'x' };
      const body = {
        ...files,
        garden: { name: 'home', channels: { pager: changed, phone: { ...phone, url: 'https://x/' } } },
      };
      const plan = JSON.stringify((await service.request('POST', '/gardens/plan', { body, key })).json);
      return { run: await read(`/gardens/runs/${id}`), exported: await read('/gardens/export?name=home'), plan };
    };
    const blind = await withKey(['gardens:read']);
    expect(blind.run).toContain('inputs.SITE_TITLE');
    expect(blind.run).not.toMatch(/Private notes|token-in-a-template|path-of-mine/);
    // The API shows no key the whole address or the template of a channel.
    const reader = await withKey(['gardens:read', 'definitions:read', 'notifications:read']);
    expect(reader.run).toContain('Private notes');
    for (const text of Object.values(reader)) expect(text).not.toMatch(/token-in-a-template|path-of-mine/);
    const writer = await withKey(['gardens:read', 'notifications:write']);
    for (const text of Object.values(writer)) expect(text).toMatch(/token-in-a-template/);
  });

  it('the hash of a plan covers values that it does not show, and the version of the template', async () => {
    const planned = await gardener.plan(secretly(withPassword, 'hunter2hunter2'));
    expect(planned.changes[0]?.fields).toContainEqual({ field: 'version', change: 'added', after: '1.2.0' });
    const apply = (value: string) => {
      const body = { ...secretly(withPassword, value), plan_hash: planned.plan_hash };
      return service.request('POST', '/gardens/apply', { body });
    };
    expectRefusal(await apply('hunter3hunter3'), 'VALIDATION_ERROR', 'plan_hash');
    expect((await apply('hunter2hunter2')).status).toBe(202);
  });

  it('reports unknown servers, species, inputs and needs all at once', async () => {
    const response = await service.request('POST', '/gardens/plan', {
      body: home({ ...inkwell('blog', 'attic', { needs: ['nothing'] }), x: { species: 'inkwell' } }),
    });
    expectRefusal(response, 'VALIDATION_ERROR', 'garden');
    expect(response.json.error.details.problems).toHaveLength(2);
    const { problems } = await gardener.plan(
      home({
        ...inkwell('a', 'nowhere'),
        b: { species: 'nothing', server: 'attic' },
        ...inkwell('c', 'attic', { inputs: { NOPE: 1, WEB_HOSTNAME: 'c.example.org' } }),
      }),
    );
    expect(problems.map(({ field }) => field)).toEqual([
      'definitions.a.server',
      'definitions.b.species',
      'definitions.c.inputs.NOPE',
    ]);
  });

  it('an existing definition cannot be moved or become another species by a garden', async () => {
    await gardener.server('barn');
    await gardener.applied(home(inkwell('blog', 'attic')));
    const { problems } = await gardener.plan(home(inkwell('blog', 'barn')));
    expect(problems).toEqual([{ field: 'definitions.blog.server', message: expect.stringContaining('migrate') }]);
  });

  it('publishes private templates first, and upgrades their definitions with a newer version', async () => {
    const files = (version: string) => ({
      ...home(
        { blog: { template: 'own.yaml', server: 'attic', inputs: { WEB_HOSTNAME: 'blog.example.org' } } },
        { templates: ['own.yaml'] },
      ),
      templates: [
        {
          path: 'own.yaml',
          source: INKWELL.replace('slug: inkwell', 'slug: own').replace('version: 1.2.0', `version: ${version}`),
        },
      ],
    });
    const plan = await gardener.plan(files('1.0.0'));
    expect(plan.problems).toEqual([]);
    expect(plan.changes.map(({ kind, key }) => [kind, key])).toEqual([
      ['template', 'own@1.0.0'],
      ['definition', 'blog'],
    ]);
    expect(await gardener.applied(files('1.0.0'))).toMatchObject({ status: 'succeeded' });
    expect((await gardener.plan(files('1.0.0'))).changes).toEqual([]);
    const changed = {
      ...files('1.0.0'),
      templates: [
        { path: 'own.yaml', source: files('1.0.0').templates[0]?.source.replace('Notes', 'Other notes') ?? '' },
      ],
    };
    if (changed.templates[0]?.source !== files('1.0.0').templates[0]?.source)
      expect((await gardener.plan(changed)).problems).toMatchObject([
        { message: expect.stringContaining('raise its version') },
      ]);
    const newer = await gardener.plan(files('1.1.0'));
    expect(newer.changes.find(({ kind }) => kind === 'definition')).toMatchObject({
      action: 'update',
      fields: [{ field: 'version', before: '1.0.0', after: '1.1.0' }],
    });
    const permissions: Permission[] = ['gardens:write', 'templates:write', 'definitions:write', 'deployments:execute'];
    const { key } = (await service.client.call('keys.create', { body: { name: 'no upgrades', permissions } })).data;
    const refused = await service.request('POST', '/gardens/apply', { body: files('1.1.0'), key });
    expectRefusal(refused, 'FORBIDDEN');
    expect(refused.json.error.details).toMatchObject({ permission: 'upgrades:write' });
    expect(await gardener.applied(files('1.1.0'))).toMatchObject({ status: 'succeeded' });
    const [blog] = await gardener.definitions();
    expect(blog).toMatchObject({ species: 'own', template_version: '1.1.0' });
    expect((await gardener.plan(files('1.1.0'))).changes).toEqual([]);
  });

  it('removes a setting of a channel that left the file', async () => {
    const files = (settings: object) => ({
      garden: { name: 'home', channels: { pager: { type: 'url', url: '${env.PAGER}', ...settings } } },
      values: { 'env.PAGER': 'https://203.0.113.9/page' },
    });
    const before = files({ template: '{"text": "{{title}}"}', content_type: 'application/json' });
    expect(await gardener.applied(before)).toMatchObject({ status: 'succeeded' });
    const { changes } = await gardener.plan(files({ content_type: 'application/json' }));
    expect(changes.map(({ fields }) => fields)).toEqual([
      [expect.objectContaining({ field: 'template', change: 'removed' })],
    ]);
    expect(await gardener.applied(files({}))).toMatchObject({ status: 'succeeded' });
    expect((await gardener.plan(files({}))).changes).toEqual([]);
  });

  it('a file cannot move a channel or webhook to another address with its stored secret', async () => {
    const files = (host: string, secrets: { token?: string; secret?: string }) => ({
      garden: {
        name: 'home',
        channels: { phone: { type: 'gotify', url: `https://${host}/`, token: secrets.token } },
        webhooks: { ci: { url: `https://${host}/hook`, events: ['garden.failed'], secret: secrets.secret } },
      },
      values: { 'env.GOTIFY': 'gotify-token', 'env.HOOK': 'a-long-webhook-secret' },
    });
    const all = { token: '${env.GOTIFY}', secret: '${env.HOOK}' };
    expect(await gardener.applied(files('203.0.113.7', all))).toMatchObject({ status: 'succeeded' });
    expect((await gardener.plan(files('203.0.113.7', {}))).problems).toEqual([]);
    const { problems } = await gardener.plan(files('203.0.113.66', {}));
    expect(problems.map(({ field }) => field).sort()).toEqual(['channels.phone.token', 'webhooks.ci.secret']);
    expect(await gardener.applied(files('203.0.113.8', all))).toMatchObject({ status: 'succeeded' });
    expect((await gardener.plan(files('203.0.113.8', all))).changes).toEqual([]);
  });

  it('creates, changes and removes registries, channels, rules and webhooks', async () => {
    const values = {
      'env.TOKEN': 'registry-token-1',
      'env.HOOK': 'a-long-webhook-secret',
      'env.GOTIFY': 'gotify-token',
    };
    const garden = {
      name: 'home',
      registries: { 'registry.example.org': { username: 'gardener', password: '${env.TOKEN}' } },
      webhooks: { ci: { url: 'https://203.0.113.7/hook', events: ['garden.failed'], secret: '${env.HOOK}' } },
      channels: { phone: { type: 'gotify', url: 'https://203.0.113.8/', token: '${env.GOTIFY}' } },
      rules: { 'Disk at home': { kind: 'disk_above', percent: 80, channels: ['phone'] } },
    };
    const files = { garden, values };
    expect((await gardener.plan(files)).changes.map(({ kind }) => kind)).toEqual([
      'registry',
      'channel',
      'rule',
      'webhook',
    ]);
    expect(await gardener.applied(files)).toMatchObject({ status: 'succeeded' });
    expect((await gardener.plan(files)).changes).toEqual([]);
    const next = {
      garden: {
        ...garden,
        registries: { 'registry.example.org': { username: 'other', password: '${env.TOKEN}' } },
        rules: { 'Disk at home': { kind: 'disk_above', percent: 70, channels: [] } },
      },
      values: { ...values, 'env.HOOK': 'a-new-webhook-secret' },
    };
    const { changes } = await gardener.plan(next);
    expect(changes.map(({ kind, fields }) => [kind, fields.map(({ field }) => field)])).toEqual([
      ['registry', ['username']],
      ['rule', ['channels', 'percent']],
      ['webhook', ['secret']],
    ]);
    expect(await gardener.applied(next)).toMatchObject({ status: 'succeeded' });
    expect((await gardener.plan(next)).changes).toEqual([]);
    const empty = { garden: { name: 'home' }, prune: true };
    expect((await gardener.plan(empty)).counts.remove).toBe(4);
    expect(await gardener.applied(empty)).toMatchObject({ status: 'succeeded' });
    expect((await service.client.call('webhooks.list')).data).toEqual([]);
    expect((await service.client.call('registries.list')).data).toEqual([]);
  });

  it('refuses values of variables that the API would refuse, and new settings without their secrets', async () => {
    const garden = {
      name: 'home',
      registries: { 'registry.example.org': { username: 'gardener' } },
      channels: { phone: { type: 'gotify', url: 'https://203.0.113.8/', token: '${env.GOTIFY}' } },
    };
    const { problems } = await gardener.plan({ garden, values: { 'env.GOTIFY': 'a token\r\nX-Injected: 1' } });
    expect(problems).toEqual([
      { field: 'registries.registry.example.org', message: expect.stringContaining('password is missing') },
      { field: 'channels.phone.token', message: expect.stringContaining('does not have the right form') },
    ]);
    expect(JSON.stringify(problems)).not.toContain('Injected');
  });

  it('keeps the newest run of a garden when old ones are removed', async () => {
    // Retention removes the runs of every account.
    const alone = await startApp(engine);
    gardener = new Gardener(alone);
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) ids.push((await gardener.apply({ garden: { name: 'home' } })).id);
    const rules = retentionRules(defaultRetention).filter(({ name }) => name === 'garden runs');
    const { remove } = rules[0] ?? expect.fail('there is no rule');
    expect(await remove(alone.database, Date.now() + 1_000, 10)).toBe(2);
    expect(
      (
        await alone.client.call('gardens.runs', { params: { id: (await gardener.run(ids[2] ?? '')).garden_id } })
      ).data.map(({ id }) => id),
    ).toEqual([ids[2]]);
  });

  it('an exported garden changes nothing when it is applied', async () => {
    await gardener.server('barn');
    const values = { 'env.SMTP': 'hunter2hunter2', 'env.HOOK': 'a-long-webhook-secret' };
    const garden = {
      name: 'home',
      definitions: { ...withPassword, ...inkwell('notes', 'barn', { heal: true, backup: { schedule: 'daily' } }) },
      webhooks: { ci: { url: 'https://203.0.113.7/hook', events: ['garden.failed'], secret: '${env.HOOK}' } },
      rules: { 'Disk at home': { kind: 'disk_above', percent: 80 } },
    };
    await gardener.applied({ garden, values });
    for (const name of ['home', 'everything']) {
      const { source } = (await service.client.call('gardens.export', { query: { name } })).data;
      expect(source).not.toMatch(/hunter2|a-long-webhook-secret/);
      expect(source).toContain('kept: inputs.SMTP_PASSWORD');
      const written = { ...parse(source), name: 'home' };
      expect(Object.keys(written.definitions)).toEqual(['blog', 'notes']);
      const plan = await gardener.plan({ garden: written });
      // The webhook of a garden that owns nothing yet is named by its host.
      expect(plan.changes.filter(({ kind }) => name === 'home' || kind !== 'webhook')).toEqual([]);
    }
  });
});
