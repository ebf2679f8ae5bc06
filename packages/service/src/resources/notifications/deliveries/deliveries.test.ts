import { type Receiver, startReceiver } from '@hortus/testkit/receiver';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../../testing/engines.ts';
import { type AlertPipeline, openAlertPipeline } from '../testing/alert-pipeline.ts';

const GROUPING = 15_000;

onBothEngines((engine) => {
  let receiver: Receiver;
  let pipeline: AlertPipeline;
  beforeEach(async () => {
    receiver = await startReceiver();
    pipeline = await openAlertPipeline(engine);
  });
  afterEach(async () => {
    await pipeline.stop();
    await receiver.stop();
  });

  const channel = (path: string) =>
    pipeline.channel({
      type: 'url',
      name: path,
      url: `${receiver.url}/${path}`,
      headers: { Authorization: 'Bearer s3cr3t' },
    });
  const fail = async () => {
    const definition_id = await pipeline.definition('blog');
    await pipeline.fire('deployment.failed', 'dep_1', { definition_id, status: 'failed' });
    await until(async () => (await pipeline.alerts('open')).length > 0, { describe: 'the alert' });
  };

  describe('a message', () => {
    it('is retried under the same id until the receiver accepts it', async () => {
      await channel('hook');
      receiver.respondNext({ status: 500 }, { close: true });
      pipeline.start();
      await fail();
      pipeline.pass(GROUPING);
      for (const attempts of [1, 2]) {
        await until(async () => (await pipeline.deliveries())[0]?.attempts === attempts, { describe: `${attempts}` });
        pipeline.pass(30_000);
      }
      await until(async () => (await pipeline.deliveries())[0]?.status === 'delivered', { describe: 'the delivery' });
      expect(receiver.requests).toHaveLength(3);
      expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
      const [delivery] = await pipeline.deliveries();
      expect(receiver.requests[0]?.headers).toMatchObject({
        authorization: 'Bearer s3cr3t',
        'x-service-delivery': delivery?.id,
      });
      const [row] = (await pipeline.channels.list(pipeline.principal, {})).data;
      expect(row?.failing_since).toBeNull();
    });

    it('is neither lost nor sent twice if the service is killed between the alert and the message', async () => {
      await channel('hook');
      pipeline.start();
      await fail();
      // Killed here: nothing was composed.
      await pipeline.stop();
      const { storage, time, masterKey } = pipeline;
      const second = await openAlertPipeline(engine, { again: { storage, time, masterKey } });
      second.start();
      second.pass(GROUPING);
      await until(() => receiver.requests.length === 1, { describe: 'the message' });
      await until(async () => (await pipeline.deliveries())[0]?.status === 'delivered', { describe: 'its record' });
      await second.stop();
      const jobs = await storage.reader.db.selectFrom('jobs').select('kind').where('key', 'is not', null).execute();
      expect(jobs.filter(({ kind }) => /compose|send/.test(kind))).toEqual([]);
      expect(receiver.requests).toHaveLength(1);
    });

    it('to a hanging receiver delays no other', async () => {
      // Longer than the test waits: a sender that waited for its end would fail it.
      const slow = await openAlertPipeline(engine, { timeoutMs: 600_000 });
      engine.afterwards(() => slow.stop());
      receiver.respond((request) => (request.path.startsWith('/hangs') ? { hang: true } : { status: 204 }));
      const names = ['hangs-1', 'hangs-2', 'hangs-3', 'hangs-4', 'hangs-5', 'well-1', 'well-2'];
      for (const name of names) await slow.channel({ type: 'url', name, url: `${receiver.url}/${name}` });
      slow.start();
      const definition_id = await slow.definition('blog');
      const after = async (status: 'failed' | 'success') => {
        await slow.fire(status === 'failed' ? 'deployment.failed' : 'deployment.success', 'dep_1', {
          definition_id,
          status,
        });
        const open = status === 'failed' ? 1 : 0;
        await until(async () => (await slow.alerts('open')).length === open, { describe: `${open} open alerts` });
        slow.pass(GROUPING);
      };
      const arrived = (path: string) => receiver.requests.filter((request) => request.path === path).length;
      await after('failed');
      await until(() => names.every((name) => arrived(`/${name}`) === 1), { describe: 'a request to every channel' });
      // The next messages reach the others while the first requests still hang.
      await after('success');
      await until(() => arrived('/well-1') === 2 && arrived('/well-2') === 2, { describe: 'the second messages' });
      await until(async () => (await slow.deliveries()).filter(({ status }) => status === 'delivered').length === 4, {
        describe: 'four deliveries',
      });
    });

    it('does not follow a redirect to another address', async () => {
      receiver.respond((request) =>
        request.path === '/hook' ? { status: 302, headers: { location: `${receiver.url}/inside` } } : { status: 200 },
      );
      await channel('hook');
      pipeline.start();
      await fail();
      pipeline.pass(GROUPING);
      await until(async () => (await pipeline.deliveries())[0]?.attempts === 1, { describe: 'the attempt' });
      expect((await pipeline.deliveries())[0]).toMatchObject({ status: 'pending', response_code: 302 });
      expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook']);
    });

    it('goes only to the channels that its rule names', async () => {
      const { id } = await channel('named');
      await channel('other');
      await pipeline.rule({ name: 'r', kind: 'event', types: ['audit.login'], channel_ids: [id] });
      pipeline.start();
      await pipeline.fire('audit.login', 'usr_1', {});
      await until(async () => (await pipeline.alerts()).length === 1, { describe: 'the alert' });
      pipeline.pass(GROUPING);
      await until(() => receiver.requests.length === 1, { describe: 'the message' });
      expect(receiver.requests[0]?.path).toBe('/named');
      expect((await pipeline.alerts())[0]).toMatchObject({
        status: 'resolved',
        title: 'Event audit.login: deployment usr_1',
      });
    });
  });
});
