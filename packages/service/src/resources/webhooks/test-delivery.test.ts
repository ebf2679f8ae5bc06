import { createHmac } from 'node:crypto';
import { startReceiver } from '@hortus/testkit/receiver';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Call } from '../../http/handler.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { openWebhookPipeline } from './testing/webhook-pipeline.ts';

const secret = 'very secret words';

onBothEngines((engine) => {
  describe('a test of a webhook endpoint', () => {
    const open = async (options: { allowPrivate?: boolean } = {}) => {
      const receiver = await startReceiver();
      onTestFinished(() => receiver.stop());
      const pipeline = await openWebhookPipeline(engine, options);
      const url = `${receiver.url}/hook`;
      // A public address passes the check at creation; the name that it had may resolve to a private one later.
      const { id } = await pipeline.endpoint({ url: 'http://93.184.216.34/hook', events: ['action.failed'], secret });
      await pipeline.storage.write((tx) =>
        tx.db.updateTable('webhook_endpoints').set({ url }).where('id', '=', id).execute(),
      );
      const test = async (by = pipeline.principal) => {
        const call = { principal: by, params: { id } } as unknown as Call<'webhooks.test'>;
        return (await pipeline.routes['webhooks.test'](call)).data;
      };
      return { receiver, pipeline, id, test };
    };

    it('is signed like a delivery, answers with the reply of the receiver, and leaves no record', async () => {
      const { receiver, pipeline, id, test } = await open();
      const result = await test();
      const request = await receiver.waitFor(() => true);
      expect(result).toMatchObject({ delivered: true, response_code: 200, error: null, body: request.body });
      expect(request.json).toMatchObject({ type: 'action.failed', data: { test: true } });
      expect(request.headers['x-service-signature']).toBe(
        createHmac('sha256', secret).update(request.rawBody).digest('hex'),
      );
      expect((await pipeline.deliveries(id)).data).toEqual([]);
    });

    it('says why it was not delivered', async () => {
      const { receiver, test } = await open();
      await receiver.stop();
      expect(await test()).toMatchObject({
        delivered: false,
        response_code: null,
        error: expect.stringContaining('failed'),
      });
    });

    it('does not reach a private address that the operator did not allow', async () => {
      const { receiver, test } = await open({ allowPrivate: false });
      expect(await test()).toMatchObject({
        delivered: false,
        response_code: null,
        reply: null,
        error: 'the address is not allowed because it is not public',
      });
      expect(receiver.requests).toEqual([]);
    });

    it('does not follow a redirect, whose target could be private', async () => {
      const { receiver, test } = await open();
      receiver.respond({ status: 307, headers: { location: `${receiver.url}/metadata` } });
      expect(await test()).toMatchObject({ delivered: false, response_code: 307 });
      expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook']);
    });

    it('does not show the signing secret that a receiver repeats', async () => {
      const { receiver, test } = await open();
      receiver.respond({ body: `signed with ${secret}` });
      expect((await test()).reply).toBe('signed with ***');
    });

    it('is refused for the endpoint of another account', async () => {
      const { pipeline, test } = await open();
      await expect(test(await pipeline.newAccount())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });
});
