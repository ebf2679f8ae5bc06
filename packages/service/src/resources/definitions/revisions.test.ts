import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  let server_id: string;
  let number = 0;

  beforeAll(async () => {
    service = await startApp(engine);
    const body = { name: 'server-1', environment: 'staging' } as const;
    server_id = (await service.client.call('servers.register', { body })).data.id;
  });

  const PASSWORD = 'hunter2-and-more';
  const inputs = { WEB_HOSTNAME: 'blog.example.org', SITE_TITLE: 'First', SMTP_PASSWORD: PASSWORD };

  async function createDefinition(order: object = { species: 'inkwell', inputs }) {
    const body = { instance_uid: `blog-${++number}`, server_id, ...order };
    const { status, json } = await service.request('POST', '/definitions', { body });
    expect(status, JSON.stringify(json)).toBe(201);
    const path = `/definitions/${json.data.id}`;
    const get = async (part = '') => (await service.request('GET', path + part)).json;
    return {
      id: json.data.id as string,
      path,
      read: async () => (await get()).data,
      put: (change: object) => service.request('PUT', path, { body: change }),
      restore: (revision: number | string) => service.request('POST', `${path}/revisions/${revision}/restore`),
      revisions: (query = '') => get(`/revisions${query}`),
      secrets: async () => (await get('/secrets')).data,
      /** Ciphertext of a secret; changes whenever the value is written. */
      ciphertext: async (name: string) => {
        const query = service.database.db.selectFrom('definition_secrets').select('ciphertext');
        const found = query.where('definition_id', '=', json.data.id).where('name', '=', name);
        return (await found.executeTakeFirst())?.ciphertext;
      },
    };
  }

  describe('an update by PUT', () => {
    it('creates a revision and keeps what it does not name', async () => {
      const { put, read, revisions } = await createDefinition();
      const { status, json } = await put({ profile: 'production' });
      expect(status).toBe(200);
      expect(json.data).toMatchObject({
        current_revision: 2,
        status: 'pending',
        profile: 'production',
        variant: null,
        inputs: { WEB_HOSTNAME: 'blog.example.org', SITE_TITLE: 'First' },
        secret_inputs: ['SMTP_PASSWORD'],
      });
      expect(await read()).toEqual(json.data);
      const { data } = await revisions();
      expect(data).toMatchObject([
        { number: 2, current: true, profile: 'production' },
        { number: 1, current: false, profile: 'development' },
      ]);
      expect(data[0].created_by).toMatch(/^(key|usr)_/);
    });

    it.each(['inputs', 'params'])('merges %s: null removes, omitted values stay', async (name) => {
      const { put } = await createDefinition();
      const changed = await put({ [name]: { SITE_TITLE: null, ADMIN_EMAIL: 'me@example.org' } });
      expect(changed.json.data.inputs).toEqual({ WEB_HOSTNAME: 'blog.example.org', ADMIN_EMAIL: 'me@example.org' });
      const wrong = await put({ [name]: { WEB_HOSTNAME: null, LOG_LEVEL: 'loud' } });
      expectRefusal(wrong, 'VALIDATION_ERROR', name);
      expect(wrong.json.error.details.problems.map(({ field }: { field: string }) => field).sort()).toEqual([
        `${name}.LOG_LEVEL`,
        `${name}.WEB_HOSTNAME`,
      ]);
      expect(wrong.json.error.message).toContain(`${name}.`);
    });

    it('keeps an omitted password, replaces a given one, removes one that is null', async () => {
      const { put, ciphertext, secrets } = await createDefinition();
      const first = await ciphertext('SMTP_PASSWORD');
      expect(first).toBeTruthy();
      expect(first).not.toContain(PASSWORD);
      await put({ inputs: { SITE_TITLE: 'Second' } });
      expect(await ciphertext('SMTP_PASSWORD')).toBe(first);
      const replaced = await put({ inputs: { SMTP_PASSWORD: 'another-one' } });
      expect(replaced.json.data.secret_inputs).toEqual(['SMTP_PASSWORD']);
      expect(await ciphertext('SMTP_PASSWORD')).not.toBe(first);
      const removed = await put({ inputs: { SMTP_PASSWORD: null } });
      expect(removed.json.data.secret_inputs).toEqual([]);
      expect(await ciphertext('SMTP_PASSWORD')).toBeUndefined();
      expect((await secrets()).map(({ name }: { name: string }) => name)).toEqual(['DB_PASSWORD', 'SESSION_KEY']);
    });

    it('keeps generated secrets', async () => {
      const { put, ciphertext } = await createDefinition();
      const before = await ciphertext('DB_PASSWORD');
      await put({ profile: 'minimal' });
      expect(await ciphertext('DB_PASSWORD')).toBe(before);
      const overrides = await put({ inputs: { DB_PASSWORD: 'mine' } });
      expectRefusal(overrides, 'VALIDATION_ERROR', 'inputs');
    });

    it('changes the name and the variant, and back', async () => {
      const { put } = await createDefinition();
      expect((await put({ name: 'Notes', variant: 'alpine' })).json.data).toMatchObject({
        name: 'Notes',
        variant: 'alpine',
      });
      expect((await put({ variant: null })).json.data).toMatchObject({ name: 'Notes', variant: null });
      expectRefusal(await put({ variant: 'slim' }), 'VALIDATION_ERROR', 'variant');
      expectRefusal(await put({ profile: 'lavish' }), 'VALIDATION_ERROR', 'profile');
      expectRefusal(await put({ inputs: {}, params: {} }), 'VALIDATION_ERROR', 'params');
      expectRefusal(await put({ species: 'seed' }), 'VALIDATION_ERROR', 'species');
    });

    it('refuses to change immutable inputs or to remove required ones', async () => {
      const { put } = await createDefinition({
        species: 'courier',
        inputs: { API_TOKEN: 'token-of-mine', REGION: 'south' },
      });
      expectRefusal(await put({ inputs: { REGION: 'north' } }), 'VALIDATION_ERROR', 'inputs');
      expectRefusal(await put({ inputs: { REGION: null } }), 'VALIDATION_ERROR', 'inputs');
      expectRefusal(await put({ inputs: { API_TOKEN: null } }), 'VALIDATION_ERROR', 'inputs');
      expect((await put({ inputs: { REGION: 'south', API_TOKEN: 'newer-token' } })).status).toBe(200);
    });

    it('gives concurrent updates a revision each', async () => {
      const { put, revisions, read } = await createDefinition();
      const titles = Array.from({ length: 8 }, (_, i) => `Title ${i}`);
      const responses = await Promise.all(titles.map((SITE_TITLE) => put({ inputs: { SITE_TITLE } })));
      expect(responses.map(({ status }) => status)).toEqual(titles.map(() => 200));
      const made = responses.map(({ json }) => json.data.current_revision).sort((a, b) => a - b);
      expect(made).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
      const { data, pagination } = await revisions('?per_page=4');
      expect(pagination).toEqual({ page: 1, per_page: 4, total: 9, total_pages: 3 });
      expect(data.map((revision: { number: number }) => revision.number)).toEqual([9, 8, 7, 6]);
      expect((await read()).inputs).toEqual(data[0].inputs);
    });
  });

  describe('restoring a revision', () => {
    it('makes the revision current; the next PUT starts from it and takes the next number', async () => {
      const { put, restore, revisions } = await createDefinition();
      await put({ profile: 'production', inputs: { SITE_TITLE: 'Second' } });
      const restored = await restore(1);
      expect(restored.status).toBe(200);
      expect(restored.json.data).toMatchObject({
        current_revision: 1,
        profile: 'development',
        inputs: { SITE_TITLE: 'First' },
      });
      const { data } = await revisions();
      expect(data.map((r: { number: number; current: boolean }) => [r.number, r.current])).toEqual([
        [2, false],
        [1, true],
      ]);
      const next = await put({ profile: 'minimal' });
      expect(next.json.data).toMatchObject({ current_revision: 3, inputs: { SITE_TITLE: 'First' } });
    });

    it.each([0, 2, 99, -1, '01', '1.0', 'one', 99999999999])('answers 404 to revision %s', async (revision) => {
      const { restore, read } = await createDefinition();
      expectRefusal(await restore(revision), 'NOT_FOUND');
      expect((await read()).current_revision).toBe(1);
    });

    it('needs the passwords that the revision was created with', async () => {
      const { put, restore, read } = await createDefinition();
      await put({ inputs: { SMTP_PASSWORD: null } });
      const refused = await restore(1);
      expectRefusal(refused, 'VALIDATION_ERROR', 'number');
      expect(refused.json.error.details).toMatchObject({ reason: 'secret_removed', missing: ['SMTP_PASSWORD'] });
      expect((await read()).current_revision).toBe(2);
      await put({ inputs: { SMTP_PASSWORD: 'once-more' } });
      expect((await restore(1)).json.data).toMatchObject({ current_revision: 1, secret_inputs: ['SMTP_PASSWORD'] });
    });
  });

  it('secrets are listed by name with their origin, and never with a value', async () => {
    const { secrets } = await createDefinition();
    const listed = await secrets();
    expect(listed).toMatchObject([
      { name: 'DB_PASSWORD', kind: 'generated', set: true, generator: 'password' },
      { name: 'SESSION_KEY', kind: 'generated', set: true, generator: 'base64' },
      { name: 'SMTP_PASSWORD', kind: 'input', set: true, generator: null },
    ]);
    for (const secret of listed) {
      expect(Object.keys(secret).sort()).toEqual(['created_at', 'generator', 'kind', 'name', 'set', 'updated_at']);
    }
    const courier = await createDefinition({ species: 'courier', inputs: { API_TOKEN: 'token-of-mine' } });
    expect(await courier.secrets()).toMatchObject([{ name: 'API_TOKEN', kind: 'external', set: true }]);
    expect(await (await createDefinition({ species: 'seed', inputs: {} })).secrets()).toEqual([]);
  });
});
