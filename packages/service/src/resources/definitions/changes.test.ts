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

  async function createDefinition() {
    const inputs = { WEB_HOSTNAME: 'blog.example.org', SITE_TITLE: 'First', SMTP_PASSWORD: 'hunter2-and-more' };
    const body = { species: 'inkwell', instance_uid: `blog-${++number}`, server_id, inputs };
    const { id } = (await service.client.call('definitions.create', { body })).data;
    const path = `/definitions/${id}`;
    return {
      path,
      put: (change: object, headers = {}) => service.request('PUT', path, { body: change, headers }),
      revisions: async (query = '') => (await service.request('GET', `${path}/revisions${query}`)).json.data,
    };
  }

  it('a revision shows who created it, when, and what changed; of secrets only the names', async () => {
    const { put, revisions } = await createDefinition();
    await put({ profile: 'production', variant: 'alpine', inputs: { SITE_TITLE: null, LOG_LEVEL: 'debug' } });
    await put({ inputs: { SMTP_PASSWORD: 'hunter3-and-more', WEB_HOSTNAME: 'www.example.org' } });
    await put({ inputs: { SMTP_PASSWORD: null } });
    const all = await revisions();
    expect(all.map(({ changes }: { changes: unknown }) => changes)).toEqual([
      [{ field: 'secrets.SMTP_PASSWORD', change: 'removed' }],
      [
        { field: 'inputs.WEB_HOSTNAME', change: 'changed', before: 'blog.example.org', after: 'www.example.org' },
        { field: 'secrets.SMTP_PASSWORD', change: 'changed' },
      ],
      [
        { field: 'profile', change: 'changed', before: 'development', after: 'production' },
        { field: 'variant', change: 'changed', before: null, after: 'alpine' },
        { field: 'inputs.LOG_LEVEL', change: 'added', after: 'debug' },
        { field: 'inputs.SITE_TITLE', change: 'removed', before: 'First' },
      ],
      [],
    ]);
    for (const revision of all) {
      expect(revision.created_by).toMatch(/^key_/);
      expect(Date.parse(revision.created_at)).toBeLessThanOrEqual(Date.now());
    }
    expect(JSON.stringify(all)).not.toContain('hunter');
    // The last revision of a page is compared with the first of the next.
    const pages = [await revisions('?per_page=1&page=2'), await revisions('?per_page=3')];
    expect(pages).toEqual([all.slice(1, 2), all.slice(0, 3)]);
  });

  describe('If-Match', () => {
    it('refuses a change to an outdated revision', async () => {
      const { path, put } = await createDefinition();
      const read = await service.request('GET', path);
      const etag = read.headers.get('etag') ?? '';
      expect(etag).toBe('"1"');
      const changed = await put({ profile: 'minimal' }, { 'if-match': etag });
      expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
      const late = await put({ profile: 'production' }, { 'if-match': etag });
      expectRefusal(late, 'VALIDATION_ERROR', 'If-Match');
      expect(late.json.error.details).toMatchObject({ reason: 'stale', etag: '"2"' });
      expect((await service.request('GET', path)).json.data).toMatchObject({ profile: 'minimal', current_revision: 2 });
    });

    it('accepts a list and *, and is optional', async () => {
      const { put } = await createDefinition();
      for (const tag of ['"7", "1"', '*', undefined]) {
        const { status } = await put({ profile: 'minimal' }, tag ? { 'if-match': tag } : {});
        expect(status, tag).toBe(200);
      }
    });

    it('refuses weak tags and other values', async () => {
      const { put } = await createDefinition();
      expect((await put({}, { 'if-match': 'W/"1"' })).json.error.details.reason).toBe('stale');
      expectRefusal(await put({}, { 'if-match': '1' }), 'VALIDATION_ERROR', 'If-Match');
    });

    it('accepts one of two concurrent changes', async () => {
      const { put } = await createDefinition();
      const responses = await Promise.all(
        ['minimal', 'production'].map((profile) => put({ profile }, { 'if-match': '"1"' })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
    });
  });
});
