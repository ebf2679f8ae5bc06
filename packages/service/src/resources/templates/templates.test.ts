import { canonical } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { INKWELL } from '@hortus/template/testing/inkwell';
import { validate } from '@hortus/template/validate';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { templateLifecycle } from './lifecycle.ts';
import { shipCatalog } from './ship.ts';

const inkwell = (changes: Partial<Canonical> = {}): Canonical => {
  const { template } = validate(INKWELL);
  if (!template) throw new Error('The fixture is not a valid template.');
  return { ...canonical(template), ...changes };
};

interface Item {
  readonly id: string;
  readonly species: string;
  readonly version: string;
}

/** Inserts a draft. */
const draft = (tx: Tx, version: string) =>
  begin(
    tx,
    templateLifecycle,
    {
      id: newId('template'),
      owner: 'catalog',
      species: 'inkwell',
      version,
      name: 'Inkwell',
      description: '',
      archetype: 'application',
      kingdom: 'applications',
      family: 'blog',
      app_version: '5',
      spec: JSON.stringify(inkwell({ version })),
      spec_hash: `sha256:${'0'.repeat(64)}`,
      deprecated: 0,
      featured: 1,
      created_at: tx.now,
      updated_at: tx.now,
    },
    'create',
    null,
  );

onBothEngines((engine) => {
  let service: RunningService;

  /** Besides what the service brings (inkwell 1.2.0, seed, courier): other versions of inkwell, and one in the making. */
  beforeAll(async () => {
    const testDatabase = await engine.testDatabase();
    const storage = await testDatabase.open();
    const others = ['1.10.0', '1.9.0', '1.10.0-rc.2', '1.10.0-rc.10'].map((version) => inkwell({ version }));
    await shipCatalog(storage, others);
    await storage.write((tx) => draft(tx, '2.0.0'));
    await storage.close();
    service = await startApp(engine, {}, testDatabase);
  });

  const list = async (path: string): Promise<Item[]> => (await service.request('GET', path)).json.data;
  const versions = async (path: string) => (await list(path)).map(({ species, version }) => `${species} ${version}`);
  const read = (path: string) => service.request('GET', `/templates/${path}`);

  describe('the list of templates', () => {
    it('shows the newest published version of each species, by name', async () => {
      expect(await versions('/templates')).toEqual(['courier 1.0.0', 'inkwell 1.10.0', 'seed 1.0.0']);
    });

    it('shows every published version on request, newest first', async () => {
      expect(await versions('/templates?versions=all&species=inkwell')).toEqual(
        ['1.10.0', '1.10.0-rc.10', '1.10.0-rc.2', '1.9.0', '1.2.0'].map((version) => `inkwell ${version}`),
      );
      expectRefusal(await service.request('GET', '/templates?versions=some'), 'VALIDATION_ERROR', 'versions');
    });

    it.each([
      ['kingdom=applications', ['inkwell 1.10.0', 'seed 1.0.0']],
      ['kingdom=infrastructure', ['courier 1.0.0']],
      ['family=blog', ['inkwell 1.10.0']],
      ['species=seed', ['seed 1.0.0']],
      ['kingdom=applications&family=test', ['seed 1.0.0']],
      ['kingdom=infrastructure&family=blog', []],
      ['family=Blog', []],
    ])('filters by %s', async (query, expected) => {
      expect(await versions(`/templates?${query}`)).toEqual(expected);
    });

    it('has pages', async () => {
      const { json } = await service.request('GET', '/templates?per_page=2&page=2');
      expect(json.data).toMatchObject([{ species: 'seed' }]);
      expect(json.pagination).toEqual({ page: 2, per_page: 2, total: 3, total_pages: 2 });
    });

    it('has items with the fields of both published forms', async () => {
      const [item] = await list('/templates?species=inkwell');
      expect(item).toMatchObject({
        species: 'inkwell',
        slug: 'inkwell',
        name: 'Inkwell',
        archetype: 'application',
        family: 'blog',
        app_version: '4.2.1',
        taxonomy: { kingdom: 'applications', family: 'blog', species: 'inkwell', variant: 'debian', specimen: null },
        spec_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        status: 'published',
        deprecated: false,
      });
      expect(await list('/templates?species=seed')).toMatchObject([{ app_version: null, taxonomy: { variant: null } }]);
    });

    it('of featured and upcoming templates', async () => {
      expect(await versions('/templates/featured')).toEqual(['courier 1.0.0']);
      expect(await list('/templates/upcoming')).toMatchObject([{ version: '2.0.0', status: 'draft' }]);
    });
  });

  describe('a template in detail', () => {
    it('by species is the newest published version, with the image as a reference', async () => {
      const { data } = (await read('inkwell')).json;
      expect(data).toMatchObject({ version: '1.10.0', archetype: 'application' });
      expect(data.spec).toMatchObject({
        image: 'registry.example.org/inkwell/inkwell:4.2.1',
        inputs: { required: [{ name: 'WEB_HOSTNAME', type: 'domain' }], optional: expect.any(Array) },
        secrets: { DB_PASSWORD: { generate: 'password' } },
        routes: [{ name: 'web' }],
        healthcheck: expect.any(Object),
        storage: expect.any(Array),
        canonical: { slug: 'inkwell', version: '1.10.0' },
      });
    });

    it('by id is exactly that version, with the image split', async () => {
      const [, , , , oldest] = await list('/templates?versions=all&species=inkwell');
      const { data } = (await read(oldest?.id ?? '')).json;
      expect(data).toMatchObject({ id: oldest?.id, version: '1.2.0' });
      expect(data.spec).toMatchObject({
        image: { repository: 'registry.example.org/inkwell/inkwell', tag: '4.2.1', variants: [{}, { id: 'alpine' }] },
        user_inputs: { WEB_HOSTNAME: { type: 'domain', required: true }, SMTP_PASSWORD: { type: 'password' } },
        profiles: ['minimal', 'development', 'production'],
        ports: expect.arrayContaining([{ container_port: 8080 }]),
        volumes: expect.arrayContaining([expect.objectContaining({ mount_path: '/srv/uploads' })]),
        canonical: { version: '1.2.0' },
      });
    });

    it('has the other form on request', async () => {
      const { data } = (await read('inkwell?shape=id')).json;
      expect(data.spec.image.repository).toBe('registry.example.org/inkwell/inkwell');
      expect((await read(`${data.id}?shape=species`)).json.data.spec).toEqual((await read('inkwell')).json.data.spec);
      expectRefusal(await read('inkwell?shape=round'), 'VALIDATION_ERROR', 'shape');
    });

    it('shows a draft by its id, but does not deploy it', async () => {
      const [upcoming] = await list('/templates/upcoming');
      expect((await read(upcoming?.id ?? '')).json.data).toMatchObject({ status: 'draft', version: '2.0.0' });
      const server = await service.request('POST', '/servers', { body: { name: 'server-1', environment: 'staging' } });
      const params = { WEB_HOSTNAME: 'blog.example.org' };
      const body = { template_id: upcoming?.id, name: 'Early', server_id: server.json.data.id, params };
      expectRefusal(await service.request('POST', '/definitions', { body }), 'VALIDATION_ERROR', 'template_id');
    });

    it.each(['dandelion', 'tpl_00000000000000000000000000', 'Inkwell', 'constructor'])(
      '404 for %s',
      async (species) => {
        expectRefusal(await read(species), 'NOT_FOUND');
      },
    );
  });

  describe('caching of templates', () => {
    it.each(['', '/featured', '/upcoming', '/inkwell'])('/templates%s may be cached for a minute', async (path) => {
      // The second response comes from the cache; both must be equal.
      for (const round of ['first', 'second']) {
        const fresh = await service.request('GET', `/templates${path}`);
        expect(fresh.headers.get('cache-control'), round).toMatch(/\bmax-age=60\b/);
        const etag = fresh.headers.get('etag') ?? '';
        expect(etag, round).toMatch(/^(W\/)?"[^"]+"$/);
        const again = await service.request('GET', `/templates${path}`, { headers: { 'if-none-match': etag } });
        expect([again.status, again.json, again.headers.get('etag')], round).toEqual([304, undefined, etag]);
        expect(again.headers.get('x-ratelimit-limit'), round).toMatch(/^\d+$/);
        const other = await service.request('GET', `/templates${path}`, { headers: { 'if-none-match': '"other"' } });
        expect([other.status, other.json], round).toEqual([200, fresh.json]);
      }
    });

    it('a unique query string bypasses caches and gets the same', async () => {
      // Compressed forms have ETags of their own, and an answer does not wait for them.
      const headers = { 'accept-encoding': 'identity' };
      const responses = await Promise.all(
        ['', '?x=1', '?x=2'].map((query) => service.request('GET', `/templates/inkwell${query}`, { headers })),
      );
      const [etag] = responses.map(({ headers }) => headers.get('etag'));
      for (const response of responses) expect([response.status, response.headers.get('etag')]).toEqual([200, etag]);
    });

    it('an error may not be cached', async () => {
      expect((await read('dandelion')).headers.get('cache-control')).toBe('no-store');
    });
  });
});
