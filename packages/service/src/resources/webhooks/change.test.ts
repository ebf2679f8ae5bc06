import { createHmac } from 'node:crypto';
import type { WebhookUpdate } from '@hortus/contract/resources/webhooks';
import { type Receiver, startReceiver } from '@hortus/testkit/receiver';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Call } from '../../http/handler.ts';
import { hasUntold } from '../../outbox/store.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { openWebhookPipeline } from './testing/webhook-pipeline.ts';

const secret = 'very secret words';
const HOUR = 3_600_000;

onBothEngines((engine) => {
  let receiver: Receiver;
  let pipeline: Awaited<ReturnType<typeof openWebhookPipeline>>;

  beforeEach(async () => {
    receiver = await startReceiver();
    pipeline = await openWebhookPipeline(engine, { timeoutMs: 2_000 });
    pipeline.start();
  });
  afterEach(async () => {
    await pipeline.stop();
    await receiver.stop();
  });

  const callWith = (params: object, body?: WebhookUpdate) =>
    ({ principal: pipeline.principal, params, body, write: pipeline.storage.write }) as unknown;
  const update = async (id: string, body: WebhookUpdate) =>
    (await pipeline.routes['webhooks.update'](callWith({ id }, body) as Call<'webhooks.update'>)).data;
  const redeliver = async (id: string, delivery_id: string) =>
    (await pipeline.routes['webhooks.redeliver'](callWith({ id, delivery_id }) as Call<'webhooks.redeliver'>)).data;
  const read = async (id: string) =>
    (await pipeline.routes['webhooks.read'](callWith({ id }) as Call<'webhooks.read'>)).data;
  const createEndpoint = () =>
    pipeline.endpoint({ url: `${receiver.url}/hook`, events: ['definition.created'], secret });
  const settled = (id: string, status: string, count = 1) =>
    until(
      async () => {
        const { data } = await pipeline.deliveries(id, { status });
        return data.length >= count && data;
      },
      { describe: `${count} ${status}` },
    );
  const hmac = (key: string, body: Buffer) => createHmac('sha256', key).update(body).digest('hex');

  it('a moved endpoint is never signed with the secret of its former receiver', async () => {
    await using elsewhere = await startReceiver();
    const { id } = await createEndpoint();
    const url = `${elsewhere.url}/thief`;
    await expect(update(id, { url })).rejects.toMatchObject({
      details: { field: 'secret', reason: 'secret_required' },
    });
    const next = 'the secret of another receiver';
    expect(await update(id, { url, secret: next, keep_old_secret_for: 3_600 })).toMatchObject({
      old_secret_until: null,
    });
    await pipeline.fire('definition.created', { name: 'fern' });
    await until(() => elsewhere.requests.length === 1, { describe: 'the delivery' });
    expect(elsewhere.requests[0]?.headers['x-service-signature-old']).toBeUndefined();
  });

  it('a delivery is sent again with identical bytes', async () => {
    const { id } = await createEndpoint();
    await pipeline.fire('definition.created', { name: 'fern' });
    const [first] = await settled(id, 'delivered');
    const again = await redeliver(id, first?.id ?? '');
    expect(again).toMatchObject({ id: first?.id, event_id: first?.event_id, status: 'pending', attempts: 0 });
    await until(() => receiver.requests.length === 2, { describe: 'the second request' });
    const [both] = await settled(id, 'delivered');
    expect(both).toMatchObject({ id: again.id, response_code: 200, attempts: 1 });
    expect(both?.duration_ms).toBeGreaterThanOrEqual(0);
    expect(receiver.requests[1]?.body).toBe(receiver.requests[0]?.body);
    await expect(redeliver(id, 'dlv_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await pipeline.storage.write((tx) => tx.db.deleteFrom('events').where('type', '=', 'definition.created').execute());
    await expect(redeliver(id, again.id)).rejects.toMatchObject({ details: { reason: 'expired' } });
  });

  it('a changed secret signs immediately, together with the old one for a while', async () => {
    const { id } = await createEndpoint();
    const changed = await update(id, { secret: 'another secret', keep_old_secret_for: 60 });
    expect(Date.parse(changed.old_secret_until ?? '')).toBe(pipeline.now() + 60_000);
    expect(JSON.stringify(changed)).not.toContain('another secret');
    await pipeline.fire('definition.created', { n: 1 });
    const during = await receiver.waitFor(({ json }) => (json as { data: { n: number } }).data.n === 1);
    expect(during.headers).toMatchObject({
      'x-service-signature': hmac('another secret', during.rawBody),
      'x-service-signature-old': hmac(secret, during.rawBody),
    });
    expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
    pipeline.pass(60_001);
    await pipeline.fire('definition.created', { n: 2 });
    const after = await receiver.waitFor(({ json }) => (json as { data: { n: number } }).data.n === 2);
    expect(after.headers['x-service-signature']).toBe(hmac('another secret', after.rawBody));
    expect(after.headers['x-service-signature-old']).toBeUndefined();
  });

  it('an endpoint that fails for a day is paused, and sends again when resumed', async () => {
    receiver.respond({ status: 500 });
    const { id } = await createEndpoint();
    await pipeline.fire('definition.created', { n: 1 });
    const failed = () => until(async () => (await read(id)).failing_since, { describe: 'the failure' });
    await failed();
    await until(async () => (await pipeline.deliveries(id)).data[0]?.attempts === 1, { describe: 'an attempt' });
    pipeline.pass(25 * HOUR);
    await until(async () => (await read(id)).status === 'paused', { describe: 'the pause' });
    expect(await read(id)).toMatchObject({ status: 'paused', paused_because: 'dead' });
    const audit = await pipeline.storage.reader.db.selectFrom('events').select(['type', 'actor']).execute();
    expect(audit).toContainEqual({ type: 'audit.webhook_paused', actor: null });
    const before = receiver.requests.length;
    await pipeline.fire('definition.created', { n: 2 });
    await until(async () => !(await hasUntold(pipeline.storage.reader)), { describe: 'every event to be published' });

    receiver.respond({ status: 200 });
    expect(await update(id, { status: 'active' })).toMatchObject({
      status: 'active',
      paused_because: null,
      failing_since: null,
    });
    await pipeline.fire('definition.created', { n: 3 });
    await receiver.waitFor(({ json }) => (json as { data: { n: number } }).data.n === 3);
    // Events during the pause are not sent; they are in the audit list.
    expect(receiver.requests.length).toBe(before + 1);
    expect((await read(id)).failing_since).toBeNull();
  });

  it('one failure among successful deliveries pauses nothing', async () => {
    const { id } = await createEndpoint();
    receiver.respondNext({ status: 500 });
    await pipeline.fire('definition.created');
    await until(async () => (await read(id)).failing_since !== null, { describe: 'the failure' });
    pipeline.pass(HOUR);
    await settled(id, 'delivered');
    expect(await read(id)).toMatchObject({ status: 'active', failing_since: null });
  });

  it('a user pauses it, and other fields change independently', async () => {
    const { id } = await createEndpoint();
    expect(await update(id, { status: 'paused' })).toMatchObject({ status: 'paused', paused_because: 'user' });
    expect(await update(id, { events: ['action.failed'] })).toMatchObject({
      status: 'paused',
      events: ['action.failed'],
      url: `${receiver.url}/hook`,
    });
    await expect(update(id, { url: 'http://user:pass@example.org/' })).rejects.toThrow('url');
    await expect(update('whe_none', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
