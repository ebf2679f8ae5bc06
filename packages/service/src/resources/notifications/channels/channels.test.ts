import type { ChannelCreate, ChannelUpdate } from '@hortus/contract/resources/notification-channels';
import { startReceiver } from '@hortus/testkit/receiver';
import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../../testing/engines.ts';
import { MAX_RULES } from '../rules/service.ts';
import { openAlertPipeline } from '../testing/alert-pipeline.ts';
import { MAX_CHANNELS } from './service.ts';

const secretPath = '/services/T0/B0/s3cr3t';

onBothEngines((engine) => {
  describe('a channel', () => {
    it('keeps its address and token out of responses, events and columns', async () => {
      const pipeline = await openAlertPipeline(engine);
      await pipeline.channel({ type: 'slack', name: 'team', url: `https://93.184.216.34${secretPath}` });
      await pipeline.channel({ type: 'gotify', name: 'push', url: 'https://93.184.216.34/', token: 's3cr3t-token' });
      await pipeline.channel({ type: 'ntfy', name: 'phone', topic: 's3cr3t_topic' });
      const { db } = pipeline.storage.reader;
      const seen = [
        await pipeline.channels.list(pipeline.principal, {}),
        await db.selectFrom('notification_channels').selectAll().execute(),
        await db.selectFrom('events').selectAll().execute(),
      ];
      expect(JSON.stringify(seen)).not.toContain('s3cr3t');
      expect(JSON.stringify(seen[2])).toContain('audit.notification_channel_created');
    });

    it.each<[Partial<ChannelCreate> & Pick<ChannelCreate, 'type'>, string]>([
      [{ type: 'slack' }, 'url'],
      [{ type: 'slack', url: 'http://127.0.0.1/x' }, 'url'],
      [{ type: 'slack', url: 'http://localhost/x' }, 'url'],
      [{ type: 'slack', url: 'http://169.254.169.254/latest' }, 'url'],
      [{ type: 'slack', url: 'http://[::ffff:10.0.0.1]/' }, 'url'],
      [{ type: 'slack', url: 'http://inside.test/' }, 'url'],
      [{ type: 'slack', url: 'https://user:word@93.184.216.34/' }, 'url'],
      [{ type: 'slack', url: 'https://93.184.216.34/', token: 'x' }, 'token'],
      [{ type: 'telegram', token: 'x' }, 'chat_id'],
      [{ type: 'ntfy', topic: 'x', url: 'http://10.1.2.3' }, 'url'],
      [{ type: 'url', url: 'https://93.184.216.34/', headers: { Host: 'inside' } }, 'headers'],
      [{ type: 'url', url: 'https://93.184.216.34/', headers: { 'transfer-encoding': 'chunked' } }, 'headers'],
      [{ type: 'url', url: 'https://93.184.216.34/', template: '{{constructor}}' }, 'template'],
      [{ type: 'email', to: ['ops@example.org'] }, 'type'],
    ])('%j is refused', async (body, field) => {
      const pipeline = await openAlertPipeline(engine, { allowPrivate: false });
      await expect(pipeline.channel({ name: 'x', ...body } as ChannelCreate)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { field },
      });
    });

    it('is tested: a receiver that repeats parts of the request shows no secret of it', async () => {
      await using receiver = await startReceiver();
      const pipeline = await openAlertPipeline(engine);
      const [bearer, basic, body, key] = ['bearer-t0ken-value', 'basic-passw0rd', 'b0dy-t0ken-value', 'query-key-123'];
      const pair = Buffer.from(`user:${basic}`).toString('base64');
      const { id } = await pipeline.channel({
        ...{ type: 'url', name: 'any', url: `${receiver.url}/hook?key=${key}` },
        headers: { Authorization: `Bearer ${bearer}`, 'X-Other': `Basic ${pair}` },
        template: `{"token": "${body}", "message": "{{title}}"}`,
      });
      receiver.respond({
        status: 403,
        body: `no ${bearer}, ${basic}, ${body}, ${key}: ${encodeURIComponent(`<${body}>`)}`,
      });
      const { reply } = await pipeline.channels.test(pipeline.principal, id);
      expect(reply).toMatch(/^no \*\*\*, \*\*\*/);
      for (const secret of [bearer, basic, body, key]) expect(reply).not.toContain(secret);
      receiver.respond({ status: 403, body: JSON.stringify({ sent: { authorization: `Bearer ${bearer}` } }) });
      expect((await pipeline.channels.test(pipeline.principal, id)).reply).not.toContain(bearer);
    });

    it('is tested: the response has the reply of the receiver, without the secrets that it repeats', async () => {
      await using receiver = await startReceiver();
      const pipeline = await openAlertPipeline(engine);
      receiver.respond((request) => ({ status: 403, body: `no service at ${request.path}\r\n${'x'.repeat(10_000)}` }));
      const { id } = await pipeline.channel({ type: 'slack', name: 'team', url: `${receiver.url}${secretPath}` });
      const refused = await pipeline.channels.test(pipeline.principal, id);
      expect(refused).toMatchObject({ delivered: false, response_code: 403, error: 'the receiver answered 403' });
      expect(refused.reply).toMatch(/^no service at \*\*\* x/);
      expect(refused.reply?.length).toBeLessThanOrEqual(500);
      receiver.respond({ status: 200, body: 'ok' });
      expect(await pipeline.channels.test(pipeline.principal, id)).toMatchObject({
        delivered: true,
        reply: 'ok',
        error: null,
      });
      receiver.respond({ hang: true });
      expect(await pipeline.channels.test(pipeline.principal, id)).toMatchObject({
        delivered: false,
        response_code: null,
        error: 'no answer within 2 s',
      });
    });

    it('a caller that may change a channel cannot have its stored token sent to another server', async () => {
      await using receiver = await startReceiver();
      const pipeline = await openAlertPipeline(engine);
      const { channels, storage, principal } = pipeline;
      const update = (id: string, body: ChannelUpdate, without?: string[]) =>
        storage.write((tx) => channels.update(tx, principal, id, body, without));
      const url = `${receiver.url}/thief`;
      const headers = { Authorization: 'Bearer s3cr3t' };
      const template = '{"key": "s3cr3t", "text": "{{text}}"}';
      for (const [stored, field] of [
        [{ type: 'gotify', url: 'https://93.184.216.34/', token: 's3cr3t' }, 'token'],
        [{ type: 'telegram', chat_id: '1', token: 's3cr3t' }, 'token'],
        [{ type: 'ntfy', topic: 's3cr3t' }, 'topic'],
        [{ type: 'url', url: 'https://93.184.216.34/', headers }, 'headers'],
        [{ type: 'url', url: 'https://93.184.216.34/', template }, 'template'],
      ] as const) {
        const { id } = await pipeline.channel({ name: field, ...stored });
        await expect(update(id, { url })).rejects.toMatchObject({ details: { field, reason: 'secret_required' } });
        await expect(update(id, { url, name: 'x' })).rejects.toMatchObject({ details: { changed: ['url'] } });
        await channels.test(principal, id).catch(() => undefined);
        const again = Object.fromEntries(Object.entries(stored).filter(([name]) => name === field));
        await update(id, { url, ...again });
        // Without an address the public server of the type is meant, which is another one.
        if (stored.type === 'telegram')
          await expect(update(id, {}, ['url'])).rejects.toMatchObject({ details: { field } });
      }
      expect(receiver.requests).toEqual([]);
    });

    it('is hidden from other accounts', async () => {
      const pipeline = await openAlertPipeline(engine);
      const { id } = await pipeline.channel({ type: 'ntfy', name: 'phone', topic: 'x' });
      const outsider = pipeline.principalOf('acc_other');
      const missing = { code: 'NOT_FOUND' };
      const { channels, storage } = pipeline;
      await expect(channels.read(outsider, id)).rejects.toMatchObject(missing);
      await expect(channels.test(outsider, id)).rejects.toMatchObject(missing);
      await expect(storage.write((tx) => channels.remove(tx, outsider, id))).rejects.toMatchObject(missing);
      await expect(storage.write((tx) => channels.update(tx, outsider, id, {}))).rejects.toMatchObject(missing);
      await expect(pipeline.notifications.deliveries(outsider, { channelId: id }, {})).rejects.toMatchObject(missing);
    });

    it('that a rule alone named pauses the rule when it is removed, instead of sending to all others', async () => {
      const pipeline = await openAlertPipeline(engine);
      const { id } = await pipeline.channel({ type: 'ntfy', name: 'phone', topic: 'x' });
      const rule = await pipeline.rule({ name: 'r', kind: 'server_offline', channel_ids: [id] });
      await pipeline.storage.write((tx) => pipeline.channels.remove(tx, pipeline.principal, id));
      expect(await pipeline.rules.read(pipeline.principal, rule.id)).toMatchObject({
        status: 'paused',
        channel_ids: [],
      });
    });

    it('may be one of fifty, and a rule one of a hundred', async () => {
      const pipeline = await openAlertPipeline(engine);
      for (let n = 0; n < MAX_CHANNELS; n++) await pipeline.channel({ type: 'ntfy', name: `${n}`, topic: 'x' });
      const quota = { details: { reason: 'quota' } };
      await expect(pipeline.channel({ type: 'ntfy', name: 'more', topic: 'x' })).rejects.toMatchObject(quota);
      const { pagination } = await pipeline.rules.list(pipeline.principal, {});
      for (let n = pagination.total; n < MAX_RULES; n++) await pipeline.rule({ name: `${n}`, kind: 'backup_failed' });
      await expect(pipeline.rule({ name: 'more', kind: 'backup_failed' })).rejects.toMatchObject(quota);
    });
  });

  describe('rules', () => {
    it('exist from the start, and removed ones do not come back', async () => {
      const pipeline = await openAlertPipeline(engine);
      const kinds = async () =>
        (await pipeline.rules.list(pipeline.principal, { per_page: 100 })).data.map(({ kind }) => kind).sort();
      const first = await kinds();
      expect(first).toEqual(
        [
          'backup_failed',
          'backup_late',
          'certificate_expires',
          'deployment_failed',
          'disk_above',
          'instance_unhealthy',
          'restart_loop',
          'server_offline',
        ].sort(),
      );
      const [rule] = (await pipeline.rules.list(pipeline.principal, {})).data;
      await pipeline.storage.write((tx) => pipeline.rules.remove(tx, pipeline.principal, rule?.id ?? ''));
      expect(await kinds()).toHaveLength(first.length - 1);
    });

    it.each([
      [{ kind: 'event' as const }, 'types'],
      [{ kind: 'server_offline' as const, percent: 5 }, 'percent'],
      [{ kind: 'disk_above' as const, channel_ids: ['chn_unknown'] }, 'channel_ids'],
    ])('%j is refused', async (body, field) => {
      const pipeline = await openAlertPipeline(engine);
      await expect(pipeline.rule({ name: 'r', ...body })).rejects.toMatchObject({ details: { field } });
    });
  });
});
