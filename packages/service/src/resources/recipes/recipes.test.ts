import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';

const template = (slug: string, more: object = {}) => ({
  slug,
  name: 'Moss',
  version: '1.0.0',
  archetype: 'worker',
  taxonomy: { kingdom: 'applications', family: 'garden' },
  image: { repository: 'docker.io/library/busybox', tag: '1.36.1' },
  ...more,
});

onBothEngines((engine) => {
  let service: RunningService;
  let author: Caller;
  let reader: Caller;
  let number = 0;

  beforeAll(async () => {
    service = await startApp(engine);
    author = await service.addAccount();
    reader = await service.addAccount();
  });

  const fresh = () => `moss-${++number}`;
  const submission = (slug = fresh(), spec: object | string = template(slug)) => ({
    slug,
    name: 'Moss',
    description: 'Grows anywhere',
    spec,
  });
  const submit = (body: object, caller = author) => caller.request('POST', '/recipes', { body });
  const submitted = async (...args: Parameters<typeof submission>) => (await submit(submission(...args))).json.data;
  const act = (caller: Caller, method: string, id: string, what = '', body?: object) =>
    caller.request(method, `/recipes/${id}${what}`, { ...(body && { body }) });
  const approve = (id: string, caller: Caller = service) => act(caller, 'POST', id, '/approve');
  const approved = async (...args: Parameters<typeof submission>) =>
    (await approve((await submitted(...args)).id)).json.data;
  const events = async (caller: Caller, id: string) => {
    const rows = service.database.db.selectFrom('events').select(['type', 'actor']).where('resource_id', '=', id);
    return rows.where('account_id', '=', caller.accountId).orderBy('position').execute();
  };
  const types = async (caller: Caller, id: string) => (await events(caller, id)).map(({ type }) => type);

  describe('submitting a recipe', () => {
    it('stores the spec unchanged and returns the findings', async () => {
      const body = submission();
      const { status, json } = await submit(body);
      expect(status).toBe(201);
      expect(json.data).toMatchObject({
        ...body,
        author: 'Neighbour',
        mine: true,
        status: 'pending',
        upvotes: 0,
        upvoted: false,
        valid: true,
        findings: [],
        template_id: null,
      });
      expect((await act(author, 'GET', json.data.id)).json.data).toEqual(json.data);
      const text = 'slug: thing\nname: Thing\ncolour: green\n';
      const wrong = await submitted('thing', text);
      expect(wrong).toMatchObject({ spec: text, valid: false });
      expect(wrong.findings).toContainEqual(
        expect.objectContaining({ severity: 'error', path: 'colour', line: 3, column: 1 }),
      );
    });

    it('is refused for a species of another author, or one that is already pending', async () => {
      const taken = await submit(submission('inkwell'));
      expectRefusal(taken, 'VALIDATION_ERROR', 'slug');
      const { slug } = await submitted();
      const again = await submit(submission(slug));
      expectRefusal(again, 'VALIDATION_ERROR', 'slug');
      expect(again.json.error.details.reason).toBe('taken');
      expectRefusal(await submit({ ...submission(), slug: 'No Slug' }), 'VALIDATION_ERROR', 'slug');
      const long = { ...template('long'), notes: 'x'.repeat(70_000) };
      expectRefusal(await submit(submission('long', long)), 'VALIDATION_ERROR', 'spec');
    });

    it('shows it to its author and to admins, and to others only after approval', async () => {
      const { id, slug } = await submitted();
      for (const path of [`/recipes/${id}`, `/recipes/by-slug/${slug}`])
        expectRefusal(await reader.request('GET', path), 'NOT_FOUND');
      expect((await author.request('GET', `/recipes/by-slug/${slug}`)).json.data.id).toBe(id);
      expect((await act(service, 'GET', id)).json.data).toMatchObject({ id, mine: false });
      const ids = async (caller: Caller, path: string) =>
        (await caller.request('GET', `/recipes${path}`)).json.data.map((item: { id: string }) => item.id);
      expect(await ids(author, '/mine?status=pending')).toContain(id);
      expect(await ids(reader, '/mine')).toEqual([]);
      expect(await ids(reader, '')).not.toContain(id);
      const waiting = await ids(service, '/pending?per_page=100');
      expect(waiting).toContain(id);
      expect(waiting).toEqual(waiting.toSorted());
    });
  });

  describe('a recipe before its review', () => {
    it('can be edited by its author only', async () => {
      const { id, slug } = await submitted(fresh(), 'slug: x');
      const mended = await act(author, 'PATCH', id, '', { description: 'Better', spec: template(slug) });
      expect(mended.json.data).toMatchObject({ description: 'Better', name: 'Moss', valid: true, findings: [] });
      for (const other of [reader, service])
        expectRefusal(await act(other, 'PATCH', id, '', { name: 'Mine' }), 'NOT_FOUND');
      await approve(id);
      expectRefusal(await act(author, 'PATCH', id, '', { name: 'Late' }), 'VALIDATION_ERROR', 'status');
      expect(await types(author, id)).toEqual([
        'audit.recipe_submitted',
        'audit.recipe_edited',
        'audit.recipe_approved',
      ]);
    });

    it('can be withdrawn, and its slug is free again', async () => {
      const { id, slug } = await submitted();
      expectRefusal(await act(reader, 'PATCH', id, '/withdraw'), 'NOT_FOUND');
      expect((await act(author, 'PATCH', id, '/withdraw')).json.data.status).toBe('withdrawn');
      expect((await act(author, 'PATCH', id, '/withdraw')).json.data.status).toBe('withdrawn');
      expectRefusal(await approve(id), 'VALIDATION_ERROR', 'status');
      expect((await submit(submission(slug), reader)).status).toBe(201);
    });

    it('can be rejected by admins only, with a reason', async () => {
      const { id } = await submitted();
      const reason = 'It does not grow.';
      expectRefusal(await act(author, 'POST', id, '/reject', { reason }), 'FORBIDDEN');
      const rejected = await act(service, 'POST', id, '/reject', { reason });
      expect(rejected.json.data).toMatchObject({ status: 'rejected', reason });
      expect((await act(author, 'GET', id)).json.data).toMatchObject({ status: 'rejected', reason });
      // The author sees that it happened, but not which key of another account did it.
      expect((await events(author, id)).at(-1)).toEqual({ type: 'audit.recipe_rejected', actor: null });
      expect(await events(service, id)).toEqual([
        { type: 'audit.recipe_rejected', actor: expect.stringMatching(/^key_/) },
      ]);
    });
  });

  describe('approving a recipe', () => {
    it('publishes the template for all accounts, under its author’s name', async () => {
      const { id, slug } = await submitted();
      for (const caller of [author, reader]) expectRefusal(await approve(id, caller), 'FORBIDDEN');
      const { status, json } = await approve(id);
      expect(status, JSON.stringify(json)).toBe(200);
      expect(json.data).toMatchObject({ status: 'approved', valid: true });
      const published = (await reader.request('GET', `/templates/${slug}`)).json.data;
      expect(published).toMatchObject({
        id: json.data.template_id,
        species: slug,
        version: '1.0.0',
        status: 'published',
        author: 'Neighbour',
      });
      expect((await reader.request('GET', '/templates/inkwell')).json.data.author).toBeNull();
      expect((await reader.request('GET', `/recipes/by-slug/${slug}`)).json.data).toMatchObject({ id, mine: false });
      expectRefusal(await approve(id), 'VALIDATION_ERROR', 'status');
      const body = { name: 'server-1', environment: 'staging' as const };
      const server = await reader.client.call('servers.register', { body });
      const order = { species: slug, instance_uid: 'moss', server_id: server.data.id, inputs: {} };
      expect((await reader.request('POST', '/definitions', { body: order })).status).toBe(201);
    });

    it('is refused with every finding and its position, and publishes nothing', async () => {
      const slug = fresh();
      const text = `slug: ${slug}\nname: Moss\nversion: one\narchetype: worker\ntaxonomy: {kingdom: data}\n`;
      const { id } = await submitted(slug, text);
      const refused = await approve(id);
      expectRefusal(refused, 'VALIDATION_ERROR', 'spec');
      const { findings, field } = refused.json.error.details;
      expect(findings).toContainEqual(expect.objectContaining({ path: 'version', line: 3, column: 10 }));
      expect(findings.length).toBeGreaterThan(1);
      // The first in the text: a required field of the root.
      expect(field).toBe('spec');
      expectRefusal(await reader.request('GET', `/templates/${slug}`), 'NOT_FOUND');
      expect((await act(author, 'GET', id)).json.data.status).toBe('pending');
    });

    it('requires the submitted slug, and fixed tags', async () => {
      const other = await approve((await submitted(fresh(), template('another-slug'))).id);
      expectRefusal(other, 'VALIDATION_ERROR', 'spec');
      expect(other.json.error.details.field).toBe('spec.slug');
      const slug = fresh();
      const floating = template(slug, { image: { repository: 'docker.io/library/busybox', tag: 'latest' } });
      const moving = await approve((await submitted(slug, floating)).id);
      expectRefusal(moving, 'VALIDATION_ERROR', 'spec');
      expect(moving.json.error.details.findings[0]).toMatchObject({ code: 'floating-tag', severity: 'error' });
    });

    it('adds versions to a species for its author only, each once', async () => {
      const { slug } = await approved();
      const same = await submitted(slug);
      const taken = await approve(same.id);
      expectRefusal(taken, 'VALIDATION_ERROR', 'spec');
      expect(taken.json.error.details.reason).toBe('version_taken');
      await act(author, 'PATCH', same.id, '', { spec: template(slug, { version: '1.1.0' }) });
      const second = (await approve(same.id)).json.data;
      expect((await reader.request('GET', `/templates/${slug}?x=1`)).json.data.version).toBe('1.1.0');
      expect((await reader.request('GET', `/recipes/by-slug/${slug}`)).json.data.id).toBe(second.id);
      expectRefusal(await submit(submission(slug), reader), 'VALIDATION_ERROR', 'slug');
    });

    it('happens once under concurrent requests', async () => {
      const { id, slug } = await submitted();
      const responses = await Promise.all([approve(id), approve(id), approve(id)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
      const templates = service.database.db.selectFrom('templates').select('id').where('species', '=', slug);
      expect(await templates.execute()).toHaveLength(1);
    });
  });

  describe('an approved recipe', () => {
    const upvote = (caller: Caller, id: string) => act(caller, 'POST', id, '/upvote');

    it('counts one upvote per user, across keys', async () => {
      const { id } = await approved();
      expect((await upvote(reader, id)).json.data).toMatchObject({ upvotes: 1, upvoted: true });
      const again = await upvote(reader, id);
      expect([again.status, again.json.data.upvotes]).toEqual([200, 1]);
      const { database } = service;
      const users = database.db.selectFrom('users').select('id').where('account_id', '=', reader.accountId);
      const { id: created_by } = await users.executeTakeFirstOrThrow();
      const key = await insertKeyRow(database, { account_id: reader.accountId, created_by });
      expect((await reader.request('POST', `/recipes/${id}/upvote`, { key })).json.data.upvotes).toBe(1);
      const many = await Promise.all([upvote(author, id), upvote(author, id), upvote(service, id)]);
      expect(Math.max(...many.map(({ json }) => json.data.upvotes))).toBe(3);
      expect((await act(author, 'GET', id)).json.data).toMatchObject({ upvotes: 3, upvoted: true });
    });

    it('is listed for all accounts, newest or most upvoted first', async () => {
      const [liked, plain] = [await approved(), await approved()];
      for (const caller of [reader, author, service]) await upvote(caller, liked.id);
      const list = async (query: string) => {
        const { data } = (await reader.request('GET', `/recipes${query}`)).json;
        return data.filter(({ id }: { id: string }) => [liked.id, plain.id].includes(id));
      };
      const ids = (found: { id: string }[]) => found.map(({ id }) => id);
      expect(ids(await list('?per_page=100'))).toEqual([plain.id, liked.id]);
      const byVotes = await list('?per_page=100&sort=upvotes');
      expect(ids(byVotes)).toEqual([liked.id, plain.id]);
      expect(byVotes[0]).toMatchObject({ upvotes: 3, upvoted: true, mine: false, author: 'Neighbour' });
      expect(byVotes[0]).not.toHaveProperty('spec');
      expectRefusal(await reader.request('GET', '/recipes?sort=age'), 'VALIDATION_ERROR', 'sort');
    });

    it('accepts no upvotes before approval or after withdrawal', async () => {
      const { id } = await submitted();
      expectRefusal(await upvote(reader, id), 'NOT_FOUND');
      expectRefusal(await upvote(author, id), 'VALIDATION_ERROR', 'status');
    });

    it('withdrawn, keeps its template for existing users, marked as deprecated', async () => {
      const { id, slug, template_id } = await approved();
      expect((await act(author, 'PATCH', id, '/withdraw')).json.data.status).toBe('withdrawn');
      const left = (await reader.request('GET', `/templates/${slug}`)).json.data;
      expect(left).toMatchObject({ id: template_id, status: 'published', deprecated: true });
      expectRefusal(await act(reader, 'GET', id), 'NOT_FOUND');
      // The species still belongs to its author.
      expectRefusal(await submit(submission(slug), reader), 'VALIDATION_ERROR', 'slug');
    });

    it('is deleted with its upvotes, by its author or by an admin', async () => {
      const [first, second] = [await approved(), await approved()];
      await upvote(reader, first.id);
      expectRefusal(await act(reader, 'DELETE', first.id), 'NOT_FOUND');
      expect((await act(author, 'DELETE', first.id)).json.data).toMatchObject({ id: first.id, upvotes: 1 });
      expect((await act(service, 'DELETE', second.id)).status).toBe(200);
      for (const { id, slug } of [first, second]) {
        expectRefusal(await act(author, 'GET', id), 'NOT_FOUND');
        expect((await reader.request('GET', `/templates/${slug}`)).json.data.deprecated).toBe(true);
      }
      const votes = service.database.db.selectFrom('recipe_upvotes').select('voter').where('recipe_id', '=', first.id);
      expect(await votes.execute()).toEqual([]);
      expect((await types(author, second.id)).at(-1)).toBe('audit.recipe_deleted');
    });
  });
});
