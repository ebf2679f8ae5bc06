import { createHmac } from 'node:crypto';
import { type Receiver, startReceiver } from '@hortus/testkit/receiver';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outcomeOf } from '../../outbound/deliveries.ts';
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

  const only = async (id: string) => (await pipeline.deliveries(id)).data[0];

  describe('a delivery', () => {
    it('carries the event and both signatures, and is recorded', async () => {
      const { id } = await pipeline.endpoint({ url: `${receiver.url}/hook`, events: ['definition.created'], secret });
      await pipeline.fire('definition.created', { name: 'fern ☘' });
      const request = await receiver.waitFor(() => true);
      const event = await pipeline.storage.reader.db
        .selectFrom('events')
        .selectAll()
        .where('type', '=', 'definition.created')
        .executeTakeFirstOrThrow();
      expect(request.json).toEqual({
        id: event.id,
        type: 'definition.created',
        created_at: new Date(event.created_at).toISOString(),
        account_id: pipeline.principal.accountId,
        data: { name: 'fern ☘' },
      });
      const delivery = await until(async () => (await only(id))?.status === 'delivered' && (await only(id)), {
        describe: 'the record',
      });
      expect(delivery).toMatchObject({ attempts: 1, response_code: 200, error: null, next_attempt_at: null });
      expect(delivery).toMatchObject({ event_id: event.id, seq: event.seq, event_type: 'definition.created' });
      expect(request.headers).toMatchObject({
        'content-type': 'application/json',
        'x-service-event': 'definition.created',
        'x-service-delivery': delivery.id,
        'x-service-signature': createHmac('sha256', secret).update(request.rawBody).digest('hex'),
        'webhook-id': event.id,
      });
      const signed = `${event.id}.${request.headers['webhook-timestamp']}.${request.body}`;
      expect(request.headers['webhook-signature']).toBe(
        `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
      );
    });

    it('goes to the subscribed endpoints of its account, and never carries an audit event', async () => {
      const wanted = await pipeline.endpoint({ url: `${receiver.url}/a`, events: ['action.failed'], secret });
      await pipeline.endpoint({ url: `${receiver.url}/b`, events: ['definition.created'], secret });
      const outsider = await pipeline.newAccount();
      await pipeline.endpoint({ url: `${receiver.url}/c`, events: ['action.failed'], secret }, outsider);
      await pipeline.fire('audit.key.created');
      await pipeline.fire('action.failed');
      await until(async () => (await only(wanted.id))?.status === 'delivered', { describe: 'the delivery' });
      expect(receiver.requests.map((request) => request.path)).toEqual(['/a']);
      const all = await pipeline.storage.reader.db.selectFrom('deliveries').select('id').execute();
      expect(all).toHaveLength(1);
    });

    it('is retried with the same event in the same bytes until it is accepted', async () => {
      receiver.respondNext({ status: 500, body: 'internal words' }, { close: true });
      const { id } = await pipeline.endpoint({ url: receiver.url, events: ['action.failed'], secret });
      await pipeline.fire('action.failed', { leaf: 1 });
      const waiting = (attempts: number) =>
        until(async () => (await only(id))?.attempts === attempts && (await only(id)), {
          describe: `attempt ${attempts}`,
        });
      const first = await waiting(1);
      expect(first).toMatchObject({ status: 'pending', response_code: 500, error: 'the receiver answered 500' });
      const wait = Date.parse(first.next_attempt_at ?? '') - pipeline.now();
      expect(wait).toBeGreaterThanOrEqual(2_500);
      expect(wait).toBeLessThanOrEqual(5_000);
      pipeline.pass(wait);
      expect(await waiting(2)).toMatchObject({ response_code: null, error: 'the request failed: ECONNRESET' });
      pipeline.pass(10_000);
      expect(await waiting(3)).toMatchObject({ status: 'delivered', response_code: 200, error: null });
      expect(new Set(receiver.requests.map((request) => request.body)).size).toBe(1);
      expect(new Set(receiver.requests.map((request) => request.headers['x-service-delivery'])).size).toBe(1);
    });

    it('does not wait behind a hanging receiver', async () => {
      receiver.respond((request) => (request.path === '/hangs' ? { hang: true } : { status: 204 }));
      const ill = await pipeline.endpoint({ url: `${receiver.url}/hangs`, events: ['action.failed'], secret });
      const well = await pipeline.endpoint({ url: `${receiver.url}/well`, events: ['action.completed'], secret });
      // All exist before the first is sent, so that the concurrency limit is reached.
      await pipeline.stop();
      for (let i = 0; i < 20; i++) await pipeline.fire('action.failed');
      pipeline.start();
      await until(() => receiver.requests.length === 4, { describe: 'four requests that hang' });
      await pipeline.fire('action.completed');
      await until(async () => (await only(well.id))?.status === 'delivered', { describe: 'the other one' });
      expect(receiver.requests.filter((request) => request.path === '/hangs')).toHaveLength(4);
      expect((await pipeline.deliveries(ill.id, { status: 'pending' })).pagination.total).toBe(20);
      expect((await pipeline.deliveries(ill.id, { status: 'delivered' })).data).toEqual([]);
    });

    it('ends with its endpoint', async () => {
      receiver.respond({ status: 503 });
      const { id } = await pipeline.endpoint({ url: receiver.url, events: ['action.failed'], secret });
      await pipeline.fire('action.failed');
      await until(async () => (await only(id))?.attempts === 1, { describe: 'the first attempt' });
      await pipeline.remove(id);
      pipeline.pass(HOUR);
      await until(
        async () => (await pipeline.storage.reader.db.selectFrom('jobs').select('id').execute()).length === 0,
        {
          describe: 'the end of its job',
        },
      );
      expect(await pipeline.storage.reader.db.selectFrom('deliveries').selectAll().execute()).toEqual([]);
      expect(receiver.requests).toHaveLength(1);
    });
  });
});

it('a delivery is given up after 24 hours, with a last attempt at exactly that time', () => {
  const delivery = { id: 'dlv_1', attempts: 30, created_at: 0 };
  const failure = { status: null, error: 'the request failed: ECONNREFUSED', durationMs: 3 };
  const late = outcomeOf(delivery, failure, 24 * HOUR - 1);
  expect(late).toMatchObject({ status: 'pending', next_attempt_at: 24 * HOUR });
  expect(outcomeOf(delivery, failure, 24 * HOUR)).toEqual({
    id: 'dlv_1',
    status: 'dead',
    attempts: 31,
    response_code: null,
    error: failure.error,
    duration_ms: 3,
    next_attempt_at: null,
    delivered_at: null,
  });
  const redirect = outcomeOf(delivery, { status: 302, error: null, durationMs: 3 }, HOUR);
  expect(redirect).toMatchObject({ status: 'pending', response_code: 302, error: 'the receiver answered 302' });
});
