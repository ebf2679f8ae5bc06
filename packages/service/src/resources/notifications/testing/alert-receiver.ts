import { startReceiver } from '@hortus/testkit/receiver';
import { until } from '@hortus/testkit/until';
import type { Engine } from '../../../testing/engines.ts';
import { openAlertPipeline } from './alert-pipeline.ts';

export const MINUTE = 60_000;
const GROUPING = 15_000;

export interface Sent {
  readonly status: 'open' | 'resolved' | 'test';
  readonly title: string;
  readonly text: string;
  readonly count: number;
}

/** Opens a running pipeline with a receiver of its messages; both end with the test. */
export async function openAlertReceiver(engine: Engine) {
  const receiver = await startReceiver();
  const pipeline = await openAlertPipeline(engine);
  pipeline.start();
  engine.afterwards(async () => {
    await pipeline.stop();
    await receiver.stop();
  });
  await pipeline.channel({ type: 'url', name: 'receiver', url: receiver.url });
  let seen = 0;
  const titles = async (status: 'open' | 'pending') => (await pipeline.alerts(status)).map(({ title }) => title).sort();
  return {
    ...pipeline,
    titles,
    /** Messages since the last call, once there is one and all are delivered. */
    async messages(): Promise<Sent[]> {
      const queue = pipeline.storage.reader.db.selectFrom('notification_queue').select('alert_id');
      await until(async () => receiver.requests.length > seen || (await queue.execute()).length > 0, {
        describe: 'an alert to report',
      });
      pipeline.pass(GROUPING);
      await until(() => receiver.requests.length > seen, { describe: 'a message' });
      await until(async () => (await pipeline.deliveries()).every(({ status }) => status === 'delivered'), {
        describe: 'the record of the message',
      });
      const sent = receiver.requests.slice(seen).map(({ json }) => json as Sent);
      seen = receiver.requests.length;
      return sent;
    },
  };
}
