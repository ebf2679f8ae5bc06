import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SEED } from '@hortus/template/testing/inkwell';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { writeCatalog } from '../../testing/catalog-folder.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, type RunningService, startApp } from '../../testing/running-service.ts';
import { tableContents } from '../../testing/table-contents.ts';

const PASSWORD = 'correct horse battery staple';

onBothEngines((engine) => {
  let service: RunningService;
  let server_id: string;
  let number = 0;

  beforeAll(async () => {
    service = await startApp(engine);
    const body = { name: 'server-1', environment: 'staging' as const };
    server_id = (await service.client.call('servers.register', { body })).data.id;
  });

  const style = { name: 'House style', species: 'inkwell', profile: 'production', variant: 'alpine' };
  const inputs = { SITE_TITLE: 'Notes', SMTP_PASSWORD: PASSWORD };
  const save = (body: object, caller: Caller = service) => caller.request('POST', '/saved-configs', { body });
  const saved = async (more: object = {}) => (await save({ ...style, inputs, ...more })).json.data;
  const patch = (id: string, body: object) => service.request('PATCH', `/saved-configs/${id}`, { body });
  const define = (body: object) =>
    service.request('POST', '/definitions', { body: { instance_uid: `blog-${++number}`, server_id, ...body } });

  describe('a saved config', () => {
    it('is a set of optional inputs whose passwords are never shown', async () => {
      const { status, json } = await save({ ...style, inputs });
      expect(status).toBe(201);
      expect(json.data).toMatchObject({
        ...style,
        inputs: { SITE_TITLE: 'Notes' },
        secret_inputs: [{ name: 'SMTP_PASSWORD', has_value: true }],
      });
      const read = await service.request('GET', `/saved-configs/${json.data.id}`);
      expect(read.json.data).toEqual(json.data);
      const bare = await saved({ profile: undefined, variant: undefined, inputs: {} });
      expect(bare).toMatchObject({
        profile: null,
        variant: null,
        inputs: {},
        secret_inputs: [{ name: 'SMTP_PASSWORD', has_value: false }],
      });
      const all = JSON.stringify([await tableContents(service.database), json, read.json]);
      expect(all).not.toContain(PASSWORD);
      expect(all).toContain('audit.saved_config_created');
    });

    it('must fit its species, with problems by field', async () => {
      const refused = async (more: object, field: string) => {
        const response = await save({ ...style, inputs, ...more });
        expectRefusal(response, 'VALIDATION_ERROR');
        expect(response.json.error.details.field).toBe(field);
        expect(JSON.stringify(response.json)).not.toContain(PASSWORD);
      };
      await refused({ species: 'no-such' }, 'species');
      await refused({ profile: 'galactic' }, 'profile');
      await refused({ variant: 'windows' }, 'variant');
      await refused({ inputs: { ...inputs, COLOUR: 'green' } }, 'inputs.COLOUR');
      await refused({ inputs: { ...inputs, LOG_LEVEL: 'loud' } }, 'inputs.LOG_LEVEL');
      await refused({ inputs: { ...inputs, WEB_HOSTNAME: 'not a host' } }, 'inputs.WEB_HOSTNAME');
    });

    it('merges updates: null removes, omitted values stay', async () => {
      const { id } = await saved();
      const first = await patch(id, { inputs: { LOG_LEVEL: 'debug' } });
      expect(first.json.data).toMatchObject({
        ...style,
        inputs: { SITE_TITLE: 'Notes', LOG_LEVEL: 'debug' },
        secret_inputs: [{ name: 'SMTP_PASSWORD', has_value: true }],
      });
      const second = await patch(id, {
        name: 'Plain style',
        profile: null,
        variant: null,
        inputs: { SITE_TITLE: null, SMTP_PASSWORD: null },
      });
      expect(second.json.data).toMatchObject({
        name: 'Plain style',
        profile: null,
        variant: null,
        inputs: { LOG_LEVEL: 'debug' },
        secret_inputs: [{ name: 'SMTP_PASSWORD', has_value: false }],
      });
      expectRefusal(await patch(id, { inputs: { LOG_LEVEL: 'loud' } }), 'VALIDATION_ERROR', 'inputs');
      expectRefusal(await patch(id, { inputs: { NOTHING: null } }), 'VALIDATION_ERROR', 'inputs');
    });

    it('drops inputs that its species no longer has', async () => {
      const { id } = await saved();
      const { db } = service.database;
      await db.updateTable('saved_configs').set({ inputs: '{"OLD":"x"}' }).where('id', '=', id).execute();
      expectRefusal(
        await define({ saved_config_id: id, inputs: { WEB_HOSTNAME: 'a.example.org' } }),
        'VALIDATION_ERROR',
      );
      expect((await patch(id, { inputs: { OLD: null } })).json.data.inputs).toEqual({});
    });

    it('is listed by species, and deleted with its secrets', async () => {
      const owner = await service.addAccount();
      const mine = (await save({ ...style, inputs }, owner)).json.data;
      const other = (await save({ name: 'Post', species: 'courier', inputs: {} }, owner)).json.data;
      const ids = async (query: string) =>
        (await owner.request('GET', `/saved-configs${query}`)).json.data.map(({ id }: { id: string }) => id);
      expect(await ids('')).toEqual([other.id, mine.id]);
      expect(await ids('?species=inkwell')).toEqual([mine.id]);
      expect((await owner.request('DELETE', `/saved-configs/${mine.id}`)).json.data).toEqual(mine);
      expectRefusal(await owner.request('GET', `/saved-configs/${mine.id}`), 'NOT_FOUND');
      const left = service.database.db.selectFrom('saved_config_secrets').select('name');
      expect(await left.where('config_id', '=', mine.id).execute()).toEqual([]);
    });
  });

  describe('a definition made from one', () => {
    it('takes omitted values from it, including passwords', async () => {
      const { id } = await saved();
      const body = { saved_config_id: id, inputs: { WEB_HOSTNAME: 'blog.example.org', SITE_TITLE: 'Ours' } };
      const { status, json } = await define(body);
      expect(status, JSON.stringify(json)).toBe(201);
      expect(json.data).toMatchObject({
        species: 'inkwell',
        profile: 'production',
        variant: 'alpine',
        inputs: { WEB_HOSTNAME: 'blog.example.org', SITE_TITLE: 'Ours' },
        secret_inputs: ['SMTP_PASSWORD'],
      });
      expect(JSON.stringify(json)).not.toContain(PASSWORD);
      // Later changes of the config do not affect the definition.
      await patch(id, { inputs: { SMTP_PASSWORD: null } });
      const secrets = await service.request('GET', `/definitions/${json.data.id}/secrets`);
      expect(secrets.json.data).toContainEqual(expect.objectContaining({ name: 'SMTP_PASSWORD', set: true }));

      const own = await define({ ...body, species: 'inkwell', profile: 'minimal', variant: 'debian' });
      expect(own.json.data).toMatchObject({ profile: 'minimal', variant: 'debian' });
      const template_id = json.data.template_id;
      const byId = await define({
        saved_config_id: id,
        template_id,
        name: 'X',
        params: { WEB_HOSTNAME: 'b.example.org' },
      });
      expect(byId.json.data).toMatchObject({ template_id, inputs: { SITE_TITLE: 'Notes' } });
    });

    it('does not show a password that another version of the template makes plain', async () => {
      const folder = temporaryFolder('plain');
      onTestFinished(() => folder.remove());
      await mkdir(join(folder.path, 'test/plain'), { recursive: true });
      const input = 'inputs: {optional: [{name: SMTP_PASSWORD, type: string}]}\nenv: {A: "${inputs.SMTP_PASSWORD}"}\n';
      const template = SEED.replaceAll('seed', 'plain') + input;
      await writeFile(join(folder.path, 'test/plain/template.yaml'), template);
      const own = await startApp(engine, { catalogDirectory: await writeCatalog(folder.path) });
      const registered = { name: 'server-1', environment: 'staging' as const };
      const server = (await own.client.call('servers.register', { body: registered })).data.id;
      const { id } = (await save({ ...style, inputs }, own)).json.data;
      const { db } = own.database;
      const later = { species: 'plain', profile: null, variant: null, inputs: '{}' };
      await db.updateTable('saved_configs').set(later).where('id', '=', id).execute();
      const create = (more: object) =>
        own.request('POST', '/definitions', {
          body: { instance_uid: 'plain', server_id: server, saved_config_id: id, ...more },
        });
      const refused = await create({});
      expectRefusal(refused, 'VALIDATION_ERROR');
      expect(refused.json.error.details).toMatchObject({ field: 'inputs.SMTP_PASSWORD', reason: 'not_secret' });
      const { status, json } = await create({ inputs: { SMTP_PASSWORD: 'shown to all' } });
      expect(status, JSON.stringify(json)).toBe(201);
      expect(JSON.stringify([refused.json, json])).not.toContain(PASSWORD);
    });

    it('still needs required inputs, and an existing config of its species', async () => {
      const { id } = await saved();
      const missing = await define({ saved_config_id: id });
      expectRefusal(missing, 'VALIDATION_ERROR');
      expect(missing.json.error.details.field).toBe('inputs.WEB_HOSTNAME');
      const ask = async (body: object) =>
        expectRefusal(await define({ inputs: {}, ...body }), 'VALIDATION_ERROR', 'saved_config_id');
      await ask({ saved_config_id: id, species: 'seed' });
      await ask({ saved_config_id: 'cfg_none', species: 'inkwell' });
      const outsider = await service.addAccount();
      const theirs = (await save({ ...style, inputs }, outsider)).json.data;
      await ask({ saved_config_id: theirs.id, species: 'inkwell' });
    });
  });
});
