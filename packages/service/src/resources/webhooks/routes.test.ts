import { describe, expect, it } from 'vitest';
import { Problem } from '../../problem.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { openWebhookPipeline } from './testing/webhook-pipeline.ts';

const registration = {
  url: 'https://93.184.216.34/hooks/s3cr3t-path',
  events: ['definition.created' as const, 'action.failed' as const],
  secret: 'very secret words',
};

onBothEngines((engine) => {
  describe('a webhook endpoint', () => {
    it('is registered, listed and removed; its secret is never shown and stored encrypted', async () => {
      const pipeline = await openWebhookPipeline(engine);
      const created = await pipeline.endpoint(registration);
      expect(created).toMatchObject({ url: registration.url, events: registration.events, status: 'active' });
      expect(created.id).toMatch(/^whe_/);
      const listed = await pipeline.list();
      expect(listed.data).toEqual([created]);
      expect(listed.pagination).toEqual({ page: 1, per_page: 20, total: 1, total_pages: 1 });
      const rows = await pipeline.storage.reader.db.selectFrom('webhook_endpoints').selectAll().execute();
      const events = await pipeline.storage.reader.db.selectFrom('events').selectAll().execute();
      expect(JSON.stringify([created, listed, rows, events])).not.toContain(registration.secret);
      expect(await pipeline.remove(created.id)).toEqual(created);
      expect((await pipeline.list()).data).toEqual([]);
    });

    it('audits registration and removal, without the path of its URL', async () => {
      const pipeline = await openWebhookPipeline(engine);
      const { id } = await pipeline.endpoint(registration);
      await pipeline.remove(id);
      const events = await pipeline.storage.reader.db.selectFrom('events').selectAll().orderBy('position').execute();
      expect(events).toMatchObject([
        { type: 'audit.webhook_created', resource_id: id, actor: 'key_1' },
        { type: 'audit.webhook_deleted', resource_id: id, actor: 'key_1' },
      ]);
      expect(JSON.stringify(events)).not.toContain('s3cr3t-path');
    });

    it('is hidden from other accounts', async () => {
      const pipeline = await openWebhookPipeline(engine);
      const { id } = await pipeline.endpoint(registration);
      const outsider = await pipeline.newAccount();
      expect((await pipeline.list({}, outsider)).data).toEqual([]);
      await expect(pipeline.remove(id, outsider)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(pipeline.deliveries(id, {}, outsider)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await pipeline.list()).data).toHaveLength(1);
    });

    it('is listed in pages, newest first', async () => {
      const pipeline = await openWebhookPipeline(engine);
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.unshift((await pipeline.endpoint(registration)).id);
      const first = await pipeline.list({ page: 1, per_page: 2 });
      const second = await pipeline.list({ page: 2, per_page: 2 });
      expect([...first.data, ...second.data].map((item) => item.id)).toEqual(ids);
      expect(first.pagination).toEqual({ page: 1, per_page: 2, total: 3, total_pages: 2 });
    });
  });

  describe('an address', () => {
    it.each([
      ['http://127.0.0.1:9000/', 'not a public address'],
      ['http://169.254.169.254/latest/meta-data', 'not a public address'],
      ['http://localhost/', 'this machine'],
      ['https://user:word@93.184.216.34/', 'must not contain a user name or password'],
      ['ftp://93.184.216.34/', 'http or https'],
      ['http://', 'must be a valid URL'],
    ])('is refused: %s', async (url, message) => {
      const pipeline = await openWebhookPipeline(engine, { allowPrivate: false });
      const refused = pipeline.endpoint({ ...registration, url });
      await expect(refused).rejects.toThrow(Problem);
      await expect(refused).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining(message),
        details: { field: 'url' },
      });
      await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('word@') });
    });

    it('may be private if the operator allows it', async () => {
      const pipeline = await openWebhookPipeline(engine, { allowPrivate: true });
      expect((await pipeline.endpoint({ ...registration, url: 'http://127.0.0.1:9000/' })).status).toBe('active');
    });
  });
});
