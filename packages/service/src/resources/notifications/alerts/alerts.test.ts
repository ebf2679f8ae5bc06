import { type Receiver, startReceiver } from '@hortus/testkit/receiver';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../../testing/engines.ts';
import { COMPOSE } from '../jobs.ts';
import { type AlertPipeline, openAlertPipeline } from '../testing/alert-pipeline.ts';

const MINUTE = 60_000;
const GROUPING = 15_000;

interface Sent {
  readonly id: string;
  readonly status: string;
  readonly title: string;
  readonly text: string;
  readonly count: number;
}

onBothEngines((engine) => {
  let receiver: Receiver;
  let pipeline: AlertPipeline;

  beforeEach(async () => {
    receiver = await startReceiver();
    pipeline = await openAlertPipeline(engine);
    pipeline.start();
    await pipeline.channel({ type: 'url', name: 'receiver', url: receiver.url });
  });
  afterEach(async () => {
    await pipeline.stop();
    await receiver.stop();
  });

  const sent = () => receiver.requests.map(({ json }) => json as Sent);
  const opened = (count: number) =>
    until(async () => (await pipeline.alerts('open')).length === count, { describe: `${count} open alerts` });
  /** Lets time pass, and a whole round of the watch job that begins after it. */
  const round = (ms = 31_000) => pipeline.watched(ms);
  /** Waits until the composer has nothing to do before some later time. */
  const composed = async () => {
    const jobs = pipeline.storage.reader.db
      .selectFrom('jobs')
      .select(['run_at', 'lease_owner'])
      .where('kind', '=', COMPOSE);
    const waits = (job: { run_at: number; lease_owner: string | null }) =>
      job.lease_owner === null && job.run_at > pipeline.now();
    await until(async () => (await jobs.execute()).every(waits), { describe: 'the composer to wait' });
  };
  const nextMessage = async (number: number) => {
    pipeline.pass(GROUPING);
    await until(() => receiver.requests.length >= number, {
      describe: () => `message ${number}; there are ${receiver.requests.length}`,
    });
    await until(async () => (await pipeline.deliveries()).every(({ status }) => status === 'delivered'), {
      describe: 'the record of the message',
    });
    return sent()[number - 1] as Sent;
  };

  describe('a server that is offline', () => {
    it('is reported in one message with its ten instances, and again when it is back', async () => {
      for (let n = 0; n < 10; n++) await pipeline.instance(`shop-${n}`, { status: 'lost', health: 'unknown' });
      await pipeline.server({ status: 'offline', last_seen_at: pipeline.now() });
      await round();
      await round(3 * MINUTE);
      await opened(1);
      const message = await nextMessage(1);
      expect(message).toMatchObject({ status: 'open', title: 'Alert: Server server-1 is offline', count: 1 });
      expect(message.text).toContain('Its 10 instances are not visible: shop-0, shop-1');
      expect(message.text).toContain(`To do: hortus servers show ${pipeline.parents.serverId}`);
      expect(message.text).toContain('https://hortus.example.org');
      await pipeline.server({ status: 'online', connected_replica: 'a' });
      await round();
      await opened(0);
      expect(await nextMessage(2)).toMatchObject({ status: 'resolved', title: 'Resolved: Server server-1 is offline' });
      expect((await pipeline.alerts()).map(({ status }) => status)).toEqual(['resolved']);
    });

    it('ends no alert about an instance on it, and raises none', async () => {
      await pipeline.instance('shop', { health: 'unhealthy' });
      await round();
      await until(async () => (await pipeline.alerts('pending')).length === 1, { describe: 'the pending alert' });
      await round(2 * MINUTE);
      await opened(1);
      await pipeline.instance('blog', { health: 'unhealthy' });
      await pipeline.server({ status: 'offline', last_seen_at: pipeline.now() - 10 * MINUTE });
      await pipeline.changeInstances({ status: 'lost', health: 'unknown' });
      await round();
      await opened(2);
      const titles = (await pipeline.alerts('open')).map(({ title }) => title).sort();
      expect(titles).toEqual(['Instance shop is unhealthy', 'Server server-1 is offline']);
      // Back, but not reported yet: its state is not known.
      await pipeline.server({ status: 'online', connected_replica: 'a' });
      await round();
      await opened(1);
      await pipeline.changeInstances({ status: 'running', health: 'healthy' });
      await round();
      await opened(0);
    });
  });

  describe('a deployment', () => {
    it('that failed is reported each time, and is over with the next success', async () => {
      const definition_id = await pipeline.definition('blog <!channel>');
      await pipeline.fire('deployment.failed', 'dep_1', { definition_id, status: 'failed', reason: 'health' });
      await opened(1);
      const first = await nextMessage(1);
      expect(first.title).toBe('Alert: The deployment of blog <!channel> has failed');
      expect(first.text).toContain('To do: hortus logs --deployment dep_1');
      await pipeline.fire('deployment.failed', 'dep_2', { definition_id, status: 'timeout' });
      await until(async () => (await pipeline.alerts('open'))[0]?.fix.endsWith('dep_2'), { describe: 'the second' });
      expect((await nextMessage(2)).text).toContain('dep_2');
      await pipeline.fire('deployment.success', 'dep_3', { definition_id, status: 'success' });
      await opened(0);
      expect(await nextMessage(3)).toMatchObject({ status: 'resolved' });
    });

    it('that was cancelled is not reported, and an archived definition ends its alert', async () => {
      const definition_id = await pipeline.definition('blog');
      await pipeline.fire('deployment.failed', 'dep_1', { definition_id, status: 'cancelled' });
      await pipeline.fire('deployment.failed', 'dep_2', { definition_id, status: 'failed' });
      await opened(1);
      expect((await pipeline.alerts('open'))[0]?.fix).toContain('dep_2');
      await pipeline.fire('definition.updated', definition_id, { definition_id, status: 'archived' });
      await opened(0);
      expect(await pipeline.alerts()).toHaveLength(1);
    });
  });

  it('an alert that ends before it was sent is one message', async () => {
    const definition_id = await pipeline.definition('blog');
    await pipeline.fire('deployment.failed', 'dep_1', { definition_id, status: 'failed' });
    await opened(1);
    await pipeline.fire('deployment.success', 'dep_2', { definition_id, status: 'success' });
    await opened(0);
    expect(await nextMessage(1)).toMatchObject({ status: 'resolved', count: 1 });
    expect(receiver.requests).toHaveLength(1);
  });

  it('alerts that are raised seconds apart are one message, which waits for the grouping time of the first', async () => {
    const failed = async (name: string) => {
      const definition_id = await pipeline.definition(name);
      await pipeline.fire('deployment.failed', `dep_${name}`, { definition_id, status: 'failed' });
    };
    await failed('blog');
    await opened(1);
    pipeline.pass(GROUPING - 5_000);
    await composed();
    await failed('shop');
    await opened(2);
    pipeline.pass(4_000);
    await composed();
    expect(await pipeline.deliveries()).toEqual([]);
    expect(await nextMessage(1)).toMatchObject({ count: 2 });
  });

  it('a storm of 1,000 events gives a handful of messages that say how many they summarise', async () => {
    await pipeline.rule({ name: 'all failures', kind: 'event', types: ['action.*'] });
    for (let batch = 0; batch < 10; batch++) {
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          pipeline.fire('action.failed', `exe_${batch}_${n}`, { name: `run ${n}` }),
        ),
      );
      const seen = (batch + 1) * 100;
      await until(
        async () => (await pipeline.notifications.alerts(pipeline.principal, {}, {})).pagination.total === seen,
        {
          describe: `${seen} alerts`,
        },
      );
      pipeline.pass(GROUPING);
      await composed();
    }
    // The channel has had its messages; the rest is summarised when the period is over.
    pipeline.pass(10 * MINUTE);
    await until(() => sent().reduce((sum, { count }) => sum + count, 0) === 1_000, {
      describe: () => `1,000 reported events, not ${sent().reduce((sum, { count }) => sum + count, 0)}`,
    });
    expect(receiver.requests.length).toBeLessThanOrEqual(6);
    expect(sent().at(-1)?.text).toMatch(/\d+ more alerts are summarised here; list them with: hortus alerts/);
  });

  it('pausing or removing a rule ends its alerts without a message', async () => {
    const definition_id = await pipeline.definition('blog');
    await pipeline.fire('deployment.failed', 'dep_1', { definition_id, status: 'failed' });
    await opened(1);
    await nextMessage(1);
    const { data } = await pipeline.rules.list(pipeline.principal, { per_page: 100 });
    const rule = data.find(({ kind }) => kind === 'deployment_failed');
    await pipeline.storage.write((tx) => pipeline.rules.remove(tx, pipeline.principal, rule?.id ?? ''));
    expect(await pipeline.alerts('open')).toEqual([]);
    expect(await pipeline.alerts()).toMatchObject([{ status: 'resolved', rule_id: null }]);
    const queued = await pipeline.storage.reader.db.selectFrom('notification_queue').selectAll().execute();
    expect(queued).toEqual([]);
  });
});
