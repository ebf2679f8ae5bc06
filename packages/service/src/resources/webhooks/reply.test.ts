import { type CannedResponse, type Receiver, startReceiver } from '@hortus/testkit/receiver';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { openWebhookPipeline } from './testing/webhook-pipeline.ts';

const secret = 'very secret words';

onBothEngines((engine) => {
  let receiver: Receiver;
  let pipeline: Awaited<ReturnType<typeof openWebhookPipeline>>;

  beforeEach(async () => {
    receiver = await startReceiver();
    pipeline = await openWebhookPipeline(engine);
    pipeline.start();
  });
  afterEach(async () => {
    await pipeline.stop();
    await receiver.stop();
  });

  /** Sends one delivery that is answered like this, and reads it. */
  const onResponse = async (response: CannedResponse) => {
    receiver.respond(response);
    const { id } = await pipeline.endpoint({ url: receiver.url, events: ['action.failed'], secret });
    await pipeline.fire('action.failed');
    const tried = async () => (await pipeline.deliveries(id)).data.find(({ attempts }) => attempts === 1);
    const { id: deliveryId } = await until(tried, { describe: 'the attempt' });
    return { id, deliveryId, delivery: await pipeline.delivery(id, deliveryId) };
  };

  describe('the response of a receiver', () => {
    it('is kept with its delivery and not in lists; sending it again forgets it', async () => {
      const { id, deliveryId, delivery } = await onResponse({ status: 202, body: '{"queued":true}' });
      expect(delivery).toMatchObject({ status: 'delivered', response_code: 202, reply: '{"queued":true}' });
      expect((await pipeline.deliveries(id)).data[0]).not.toHaveProperty('reply');
      await pipeline.stop();
      await pipeline.redeliver(id, deliveryId);
      expect((await pipeline.delivery(id, deliveryId)).reply).toBeNull();
    });

    it('is kept of a failed attempt too, and is null if nothing was answered', async () => {
      expect((await onResponse({ status: 500, body: 'no such queue' })).delivery.reply).toBe('no such queue');
      expect((await onResponse({ close: true })).delivery).toMatchObject({ response_code: null, reply: null });
    });

    it('keeps 4 KiB of an endless one, cut between characters', async () => {
      const { reply } = (await onResponse({ body: `x${'☘'.repeat(1_000_000)}` })).delivery;
      expect(reply).toBe(`x${'☘'.repeat(1_365)}`);
    });

    it('does not reveal the signing secret, also not half of it at the cut', async () => {
      const padding = 'x'.repeat(4_090);
      const { delivery } = await onResponse({ body: `${padding}${secret}, or ${secret}` });
      expect(delivery.reply).toMatch(/^x{4090}\*\*\*/);
      const early = (await onResponse({ body: `signed with ${secret}` })).delivery;
      expect(early.reply).toBe('signed with ***');
    });

    it('with null characters and broken UTF-8 is stored as text and does not stop the delivery', async () => {
      const body = Buffer.from([0x00, 0xff, 0xc3, 0x28, 0x3c, 0x62, 0x3e]);
      const { delivery } = await onResponse({ body });
      expect(delivery).toMatchObject({ status: 'delivered', reply: '\uFFFD\uFFFD\uFFFD(<b>' });
    });

    it('that never ends does not hold up the delivery until its timeout', async () => {
      const { delivery } = await onResponse({ status: 201, body: 'first part', endless: true });
      expect(delivery).toMatchObject({ status: 'delivered', response_code: 201, reply: 'first part' });
      expect(delivery.duration_ms).toBeLessThan(8_000);
    });

    it('is refused to another account, as is the response under another endpoint', async () => {
      const { id, deliveryId } = await onResponse({ body: 'private' });
      const outsider = await pipeline.newAccount();
      await expect(pipeline.delivery(id, deliveryId, outsider)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const own = await pipeline.endpoint({ url: receiver.url, events: ['action.failed'], secret }, outsider);
      await expect(pipeline.delivery(own.id, deliveryId, outsider)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });
});
