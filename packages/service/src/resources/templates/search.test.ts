import { beforeAll, describe, expect, it } from 'vitest';
import { LOGO } from '../../testing/catalog-folder.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onDifferingEngines('full-text search', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  describe('searching templates by words', () => {
    it.each([
      ['inkwell', ['inkwell']],
      ['ink', ['inkwell']],
      ['inkwel', ['inkwell']],
      ['cms', ['inkwell']],
      ['networking', ['courier']],
      ['seed', ['seed']],
      ['blog inkwell', ['inkwell']],
      ['nothing-of-the-kind', []],
      ['!?', []],
    ])('finds templates for q=%s', async (question, expected) => {
      for (const versions of ['newest', 'all']) {
        const path = `/templates?q=${encodeURIComponent(question)}&versions=${versions}`;
        const { json } = await service.request('GET', path);
        expect(json.data.map(({ species }: { species: string }) => species)).toEqual(expected);
        expect(json.pagination.total).toBe(expected.length);
      }
    });

    it('combines with other filters and pages', async () => {
      const { json } = await service.request('GET', '/templates?q=seed&family=blog');
      expect(json.data).toEqual([]);
      const second = await service.request('GET', '/templates?q=inkwell&per_page=1&page=2');
      expect(second.json).toMatchObject({ data: [], pagination: { total: 1 } });
    });

    it('requires a minimum length', async () => {
      expectRefusal(await service.request('GET', '/templates?q='), 'VALIDATION_ERROR', 'q');
      expectRefusal(await service.request('GET', `/templates?q=${'x'.repeat(101)}`), 'VALIDATION_ERROR', 'q');
    });
  });

  describe('the mark of a species', () => {
    const get = (path: string, headers = {}) => service.request('GET', path, { key: null, headers });

    it('is at the URL of the list, public and cacheable', async () => {
      const { data } = (await service.request('GET', '/templates?species=inkwell')).json;
      expect(data[0].mark_url).toBe('/api/v1/templates/inkwell/mark.svg');
      const { status, headers, json } = await get('/templates/inkwell/mark.svg');
      expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      expect(headers.get('cache-control')).toBe('public, max-age=86400');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(json).toMatch(/^<svg .*<\/svg>$/s);
      const etag = headers.get('etag') ?? '';
      expect((await get('/templates/inkwell/mark.svg', { 'if-none-match': etag })).status).toBe(304);
      expect((await get(`/templates/${data[0].id}/mark.svg`)).headers.get('etag')).toBe(etag);
    });

    it('has several sizes and backgrounds', async () => {
      expect((await get('/templates/inkwell/mark.svg?size=24')).json).toContain('width="24" height="24"');
      const [light, dark] = await Promise.all(
        ['light', 'dark'].map((theme) => get(`/templates/inkwell/mark.svg?theme=${theme}`)),
      );
      expect(light?.json).not.toBe(dark?.json);
      expectRefusal(await get('/templates/inkwell/mark.svg?size=9'), 'VALIDATION_ERROR', 'size');
      expectRefusal(await get('/templates/inkwell/mark.svg?theme=pink'), 'VALIDATION_ERROR', 'theme');
    });

    it('is returned as text by the client', async () => {
      const svg = await service.client.call('templates.mark', { params: { species: 'seed' } });
      expect(svg).toMatch(/^<svg /);
    });

    it('is drawn for a private species without revealing that it exists', async () => {
      const svg = (await get('/templates/our-own/mark.svg?family=blog')).json;
      expect(svg).toMatch(/^<svg /);
      expect((await get('/templates/inkwell/mark.svg?family=cache')).json).toBe(
        (await get('/templates/inkwell/mark.svg')).json,
      );
    });

    it('responds with 404 for an unknown species', async () => {
      expectRefusal(await get('/templates/dandelion/mark.svg'), 'NOT_FOUND');
    });
  });

  describe('the logo of a project', () => {
    const get = (path: string) => service.request('GET', path, { key: null });
    const itemOf = async (species: string) =>
      (await service.request('GET', `/templates?species=${species}`)).json.data[0];

    it('is named with its licence, and served so that a browser only draws it', async () => {
      const { logo } = await itemOf('inkwell');
      expect(logo).toEqual({
        url: '/api/v1/templates/inkwell/logo.svg',
        license: 'CC-BY-4.0',
        source: 'https://inkwell.example.org/logo',
        author: 'The Inkwell authors',
      });
      const { status, headers, json } = await get('/templates/inkwell/logo.svg');
      expect([status, json]).toEqual([200, LOGO]);
      expect(headers.get('content-type')).toBe('image/svg+xml');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('cache-control')).toBe('public, max-age=86400');
    });

    it('is absent for a species without one', async () => {
      expect((await itemOf('seed')).logo).toBeNull();
      expectRefusal(await get('/templates/seed/logo.svg'), 'NOT_FOUND');
      expectRefusal(await get('/templates/dandelion/logo.svg'), 'NOT_FOUND');
    });

    it('does not adorn a template of an account that has the same name', async () => {
      const other = await service.addAccount();
      const source =
        'slug: inkwell\nname: Inkwell\nversion: 9.0.0\narchetype: application\ntaxonomy: {kingdom: applications, family: blog}\nimage: {repository: docker.io/library/nginx, tag: 1.29.2}\n';
      const { data: draft } = await other.client.call('drafts.create', { body: { source } });
      await other.client.call('drafts.validate', { params: { id: draft.id } });
      await other.client.call('drafts.promote', { params: { id: draft.id } });
      const { data } = (await other.request('GET', '/templates?species=inkwell')).json;
      expect(data[0]).toMatchObject({ version: '9.0.0', logo: null });
    });
  });
});
