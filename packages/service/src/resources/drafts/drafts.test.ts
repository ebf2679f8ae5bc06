import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, type RunningService, startApp } from '../../testing/running-service.ts';

const template = (slug: string, changes: { version?: string; tag?: string; env?: string } = {}) => `slug: ${slug}
name: Pond
version: ${changes.version ?? '1.0.0'}
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: docker.io/library/nginx, tag: ${changes.tag ?? '1.29.2'}}
env: {GREETING: "${changes.env ?? 'hello'}"}
`;

const COMPOSE = `services:
  shop:
    image: ghcr.io/example/shop:2.4.1
    ports: ["8080:3000"]
    environment:
      DATABASE_URL: postgres://shop:meadow-42@db/shop
      CURRENCY: \${CURRENCY:-EUR}
    depends_on: {db: {condition: service_healthy}}
  db:
    image: postgres:17.5
    privileged: true
    logging: {driver: syslog}
    environment: {POSTGRES_USER: shop, POSTGRES_PASSWORD: meadow-42}
    healthcheck: {test: pg_isready -U shop}
    volumes: [rows:/var/lib/postgresql/data]
volumes: {rows: {}}
`;

onBothEngines((engine) => {
  let service: RunningService;
  let other: Caller;

  beforeAll(async () => {
    service = await startApp(engine);
    other = await service.addAccount();
  });

  const create = (source: string, caller: Caller = service) =>
    caller.request('POST', '/templates', { body: { source } });
  const move = (id: string, move: string, caller: Caller = service) =>
    caller.request('POST', `/templates/${id}/${move}`);
  const species = async (path: string, caller: Caller = service): Promise<string[]> =>
    (await caller.request('GET', path)).json.data.map((item: { species: string }) => item.species);
  const published = async (source: string, caller: Caller = service): Promise<string> => {
    const { id } = (await create(source, caller)).json.data;
    expect((await move(id, 'validate', caller)).json.data.status).toBe('validated');
    expect((await move(id, 'promote', caller)).json.data.status).toBe('published');
    return id;
  };

  describe('a private template', () => {
    it('goes from draft over validated to published, and a definition is created from it', async () => {
      const created = await create(template('pond'));
      expect([created.status, created.json.data.status, created.json.data.valid]).toEqual([201, 'draft', true]);
      const { id } = created.json.data;
      expectRefusal(await move(id, 'promote'), 'VALIDATION_ERROR', 'status');
      expect(await species('/templates/upcoming')).toContain('pond');
      expect(await species('/templates')).not.toContain('pond');

      await move(id, 'validate');
      await move(id, 'promote');
      expect(await species('/templates')).toContain('pond');
      expect(await species('/templates?q=pond')).toEqual(['pond']);
      const server = await service.client.call('servers.register', { body: { name: 's', environment: 'development' } });
      const body = { species: 'pond', instance_uid: 'pond-1', server_id: server.data.id, inputs: {} };
      const definition = await service.request('POST', '/definitions', { body });
      expect([definition.status, definition.json.data.template_id]).toEqual([201, id]);
      expect((await service.request('GET', `/definitions/${definition.json.data.id}`)).status).toBe(200);
    });

    it('keeps its errors as a draft and is not validated with them', async () => {
      const { data } = (await create(template('brook', { env: '${inputs.UNKNOWN}' }))).json;
      expect([data.valid, data.findings[0].code, data.findings[0].line]).toEqual([false, 'unknown-reference', 7]);
      const { data: validated } = (await move(data.id, 'validate')).json;
      expect([validated.status, validated.valid]).toEqual(['draft', false]);
      expectRefusal(await move(data.id, 'promote'), 'VALIDATION_ERROR', 'status');
    });

    it('is replaced while it is a draft, and must be validated again', async () => {
      const { id } = (await create(template('spring'))).json.data;
      await move(id, 'validate');
      const changed = (await create(template('spring', { env: 'changed' }))).json.data;
      expect([changed.id, changed.status, changed.replaced]).toEqual([id, 'draft', true]);
      expectRefusal(await move(id, 'promote'), 'VALIDATION_ERROR', 'status');
    });

    it('never changes once published; a new version is added', async () => {
      await published(template('lake'));
      expectRefusal(await create(template('lake', { env: 'other' })), 'VALIDATION_ERROR', 'version');
      const second = await published(template('lake', { version: '1.1.0' }));
      expect((await service.request('GET', '/templates/lake')).json.data.id).toBe(second);
    });

    it('is not published with a floating tag', async () => {
      const { id } = (await create(template('marsh', { tag: 'latest' }))).json.data;
      expect((await move(id, 'validate')).json.data.status).toBe('validated');
      expectRefusal(await move(id, 'promote'), 'VALIDATION_ERROR', 'image');
    });

    it('is deprecated once it is published', async () => {
      const { id } = (await create(template('well'))).json.data;
      expectRefusal(await move(id, 'deprecate'), 'VALIDATION_ERROR', 'status');
      await move(id, 'validate');
      await move(id, 'promote');
      expect((await move(id, 'deprecate')).json.data.deprecated).toBe(true);
      expect((await service.request('GET', `/templates/${id}`)).json.data.deprecated).toBe(true);
    });

    it('audits every step', async () => {
      const id = await published(template('delta'));
      const steps = ['created', 'validated', 'published'].map((step) => `audit.template_${step}`);
      expect((await service.eventsOf(id)).map(({ type }) => type)).toEqual(steps);
    });

    it('can be given as an object', async () => {
      const spec = {
        slug: 'rill',
        name: 'Rill',
        version: '1.0.0',
        archetype: 'application',
        taxonomy: { kingdom: 'applications', family: 'website' },
        image: { repository: 'nginx', tag: '1.29.2' },
      };
      const response = await service.request('POST', '/templates', { body: { spec } });
      expect([response.status, response.json.data.species]).toEqual([201, 'rill']);
      expectRefusal(
        await service.request('POST', '/templates', { body: { spec, source: 'x' } }),
        'VALIDATION_ERROR',
        'spec',
      );
      expectRefusal(await service.request('POST', '/templates', { body: {} }), 'VALIDATION_ERROR', 'source');
    });

    it('is refused with every position if it is not a valid template', async () => {
      const response = await create('slug: Bad Slug\nname: x\nimages: y\n');
      expectRefusal(response, 'VALIDATION_ERROR', 'source');
      const { findings } = response.json.error.details;
      expect(findings.map((finding: { line: number }) => finding.line)).toContain(3);
      expectRefusal(await create('a: [1, 2'), 'VALIDATION_ERROR', 'source');
    });
  });

  describe('the templates of another account', () => {
    it('cannot be seen, used or changed', async () => {
      const id = await published(template('hidden'));
      await create(template('sketch'));
      for (const path of ['/templates', '/templates/upcoming', '/templates?versions=all', '/templates?q=pond']) {
        const seen = await species(path, other);
        expect(seen, path).not.toContain('hidden');
        expect(seen, path).not.toContain('sketch');
      }
      for (const path of [`/templates/${id}`, '/templates/hidden']) {
        expectRefusal(await other.request('GET', path), 'NOT_FOUND');
      }
      for (const name of ['validate', 'promote', 'deprecate']) expectRefusal(await move(id, name, other), 'NOT_FOUND');
      const server = await other.client.call('servers.register', { body: { name: 's', environment: 'development' } });
      const shared = { server_id: server.data.id, name: 'x', instance_uid: 'x' };
      const bySpecies = { ...shared, species: 'hidden', inputs: {} };
      expectRefusal(await other.request('POST', '/definitions', { body: bySpecies }), 'VALIDATION_ERROR', 'species');
      const byId = { ...shared, template_id: id, params: {} };
      expectRefusal(await other.request('POST', '/definitions', { body: byId }), 'VALIDATION_ERROR', 'template_id');
    });

    it('may have the same names', async () => {
      const mine = await published(template('twin'));
      const theirs = await published(template('twin', { env: 'theirs' }), other);
      expect(mine).not.toBe(theirs);
      expect((await service.request('GET', '/templates/twin')).json.data.id).toBe(mine);
      expect((await other.request('GET', '/templates/twin')).json.data.id).toBe(theirs);
    });
  });

  it('an own species hides that of the catalog, only for its account', async () => {
    const own = await published(template('inkwell', { version: '9.0.0' }));
    expect((await service.request('GET', '/templates/inkwell')).json.data.id).toBe(own);
    expect((await other.request('GET', '/templates/inkwell')).json.data.id).not.toBe(own);
    expect((await species('/templates')).filter((species) => species === 'inkwell')).toHaveLength(1);
  });

  describe('importing a Compose file', () => {
    it('creates a draft and reports what was inferred, dropped and has to be permitted', async () => {
      const { status, json } = await service.request('POST', '/templates/import', {
        body: { compose: COMPOSE, name: 'Shop', slug: 'shop' },
      });
      expect([status, json.data.status, json.data.species, json.data.valid]).toEqual([201, 'draft', 'shop', true]);
      expect(json.data.dropped).toEqual([
        expect.objectContaining({ path: 'services.db.logging.driver', line: 12, refused: false }),
      ]);
      expect(json.data.inferred.length).toBeGreaterThan(3);
      expect(json.data.source).not.toContain('meadow-42');
      expect(JSON.stringify(json)).not.toContain('meadow-42');
      const { canonical } = (await service.request('GET', `/templates/${json.data.id}`)).json.data.spec;
      expect(canonical.permissions).toEqual([expect.objectContaining({ kind: 'privileged', component: 'db' })]);
    });

    it('refuses an invalid Compose file with the position', async () => {
      const response = await service.request('POST', '/templates/import', { body: { compose: 'services:\n  - a\n' } });
      expectRefusal(response, 'VALIDATION_ERROR', 'compose');
      expect(response.json.error.details.findings[0]).toMatchObject({ path: 'services', line: 2 });
    });

    it('is idempotent: the same draft', async () => {
      const send = () => service.request('POST', '/templates/import', { body: { compose: COMPOSE, slug: 'once' } });
      const [first, second] = await Promise.all([send(), send()]);
      expect(second.json.data.id).toBe(first.json.data.id);
    });
  });

  describe('the text of a private template', () => {
    it('is read with its findings, by its account only', async () => {
      const source = template('brook', { env: '${inputs.NOTHING}' });
      const { id } = (await create(source)).json.data;
      const { data } = (await service.request('GET', `/drafts/${id}`)).json;
      expect(data).toMatchObject({ id, source, status: 'draft', valid: false });
      expect(data.findings[0]).toMatchObject({ severity: 'error', line: 7 });
      expectRefusal(await other.request('GET', `/drafts/${id}`), 'NOT_FOUND');
      expect(await species('/drafts')).toContain('brook');
      expect(await species('/drafts', other)).not.toContain('brook');
    });

    it('is JSON if it was given as an object, and can be stored again', async () => {
      const { id } = (
        await service.request('POST', '/templates', {
          body: {
            spec: {
              slug: 'rill',
              name: 'Rill',
              version: '1.0.0',
              archetype: 'application',
              taxonomy: { kingdom: 'applications', family: 'website' },
              image: { repository: 'docker.io/library/nginx', tag: '1.29.2' },
            },
          },
        })
      ).json.data;
      const { source } = (await service.request('GET', `/drafts/${id}`)).json.data;
      expect(JSON.parse(source).slug).toBe('rill');
      expect((await create(source)).json.data).toMatchObject({ id, replaced: true });
    });

    it('is examined without being stored, even if it is no template at all', async () => {
      const check = async (body: object) => (await service.request('POST', '/drafts/check', { body })).json.data;
      const before = await species('/drafts');
      expect(await check({ source: template('unseen') })).toMatchObject({ valid: true, findings: [] });
      const broken = await check({ source: 'slug: [' });
      expect(broken.valid).toBe(false);
      expect(broken.findings[0].line).toBe(1);
      const imported = await check({ compose: COMPOSE, slug: 'unseen-shop' });
      expect(imported.source).toContain('slug: unseen-shop');
      expect(imported.inferred.length).toBeGreaterThan(0);
      expect(imported.dropped.length).toBeGreaterThan(0);
      expect(imported.permissions).toMatchObject([
        { kind: 'privileged', component: 'db', value: null, needs_operator: true },
      ]);
      expect(await species('/drafts')).toEqual(before);
      const closed = { compose: 'services:\n  app:\n    image: registry.example.org/app:${TAG}\n' };
      expect((await check(closed)).questions).toMatchObject([{ service: 'app', line: 2 }]);
      const opened = await check({ ...closed, env: 'TAG=1.2.3', ports: { app: 3000 } });
      expect(opened).toMatchObject({
        questions: [],
        source: expect.stringMatching(/default: 1\.2\.3[\s\S]*port: 3000/),
      });
      const both = await service.request('POST', '/drafts/check', { body: { source: 'a', compose: 'b' } });
      expectRefusal(both, 'VALIDATION_ERROR', 'compose');
    });
  });

  describe('the versions of a private template', () => {
    it('are listed newest first with what each one changed', async () => {
      await published(template('estuary'));
      await published(template('estuary', { version: '1.1.0', tag: '1.29.3' }));
      const { data } = (await service.request('GET', '/templates/estuary/versions')).json;
      expect(data.map(({ version }: { version: string }) => version)).toEqual(['1.1.0', '1.0.0']);
      expect(data[0].changes).toContainEqual(
        expect.objectContaining({ area: 'image', change: 'changed', to: 'docker.io/library/nginx:1.29.3' }),
      );
      expect(data[1].changes).toEqual([]);
      expectRefusal(await other.request('GET', '/templates/estuary/versions'), 'NOT_FOUND');
    });
  });
});
