import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { openLocalBus } from '../../bus/local-bus.ts';
import type { LiveStream } from '../../http/live-stream.ts';
import { append } from '../../outbox/append.ts';
import { Dispatcher } from '../../outbox/dispatcher.ts';
import { lastSeq } from '../../outbox/store.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { QuietLog } from '../../testing/quiet-log.ts';
import { EventFeed, type Follower } from './feed.ts';
import { followEvents } from './follow.ts';

onDifferingEngines('numbering of events', (engine) => {
  async function running() {
    const storage = await engine.open();
    const log = new QuietLog();
    const dispatcher = new Dispatcher({ storage, bus: openLocalBus({ log }), subscribers: [], log, sweepMs: 10 });
    dispatcher.start();
    let reads = 0;
    const run: typeof storage.reader.run = (...query) => {
      if (query[0].includes('from "events"')) reads++;
      return storage.reader.run(...query);
    };
    const feed = new EventFeed({ reader: { ...storage.reader, run }, log, sweepMs: 10 });
    feed.start();
    engine.afterwards(async () => {
      await feed.stop();
      await dispatcher.stop();
    });
    const fire = (count: number, accountId = 'acc_1') =>
      storage.write(async (tx) => {
        for (let n = 0; n < count; n++)
          await append(tx, {
            type: 'audit.tested',
            accountId,
            resourceType: 'plant',
            resourceId: `${n}`,
            actor: null,
            data: {},
          });
      });
    return { feed, fire, reader: storage.reader, reads: () => reads, numbered: () => lastSeq(storage.reader) };
  }

  const follower = (accountId: string, over: Partial<Follower> = {}) => {
    const seqs: number[] = [];
    const follower: Follower = {
      accountId,
      byTenant: false,
      offer: ({ seq }) => seqs.push(seq),
      reached: () => {},
      ...over,
    };
    return { ...follower, seqs };
  };

  it('reads nothing while it has no followers', async () => {
    const { feed, fire, reads, numbered } = await running();
    await fire(3);
    feed.wake();
    await until(async () => (await numbered()) === 3, { describe: 'numbers for the events' });
    expect(reads()).toBe(0);
  });

  it('reads each event once for all followers and offers it only to those of its account', async () => {
    const { feed, fire, reads } = await running();
    await feed.join();
    const [a, b, other] = [follower('acc_1'), follower('acc_1'), follower('acc_2')];
    for (const item of [a, b, other]) feed.add(item);
    await fire(700);
    await fire(1, 'acc_2');
    await until(() => other.seqs.length === 1 && a.seqs.length === 700, { describe: 'all events' });
    expect(b.seqs).toEqual(a.seqs);
    expect(a.seqs).toEqual(Array.from({ length: 700 }, (_, n) => n + 1));
    expect(other.seqs).toEqual([701]);
    const before = reads();
    for (let n = 0; n < 50; n++) feed.add(follower('acc_1'));
    await fire(1);
    await until(() => a.seqs.length === 701, { describe: 'one more' });
    // The sweeps read as well, but not once for each follower.
    expect(reads() - before).toBeLessThan(50);
    feed.leave();
  });

  it('tells a follower by tenant that is added in the middle of a batch that tenants are unknown', async () => {
    const { feed, fire } = await running();
    await feed.join();
    const reported: boolean[] = [];
    const late = follower('acc_1', { byTenant: true, offer: (_, tenants) => reported.push(tenants !== undefined) });
    let isAdded = false;
    feed.add(
      follower('acc_1', {
        offer: () => {
          if (!isAdded) feed.add(late);
          isAdded = true;
        },
      }),
    );
    await fire(5);
    await until(() => reported.length === 5, { describe: 'the batch' });
    expect(reported).toEqual(Array(5).fill(false));
    await fire(1);
    await until(() => reported.length === 6, { describe: 'the next batch' });
    expect(reported.at(-1)).toBe(true);
    feed.leave();
  });

  it('an event for which a stream has no room is sent once there is, in order and once', async () => {
    const { feed, fire, reader } = await running();
    const over = new AbortController();
    const ids: number[] = [];
    let room = 3;
    let isBegun = false;
    const stream: LiveStream = {
      signal: over.signal,
      write(event) {
        if (room === 0) return false;
        room--;
        ids.push(Number(/^id: (\d+)$/m.exec('bytes' in event ? String(event.bytes) : '')?.[1]));
        return true;
      },
      mark: () => {
        isBegun = true;
      },
      drained: async () => {
        await nextTurn();
        room = 3;
      },
      end: () => {},
    };
    const following = followEvents({ reader, feed }, { accountId: 'acc_1' }, undefined)(stream);
    await until(() => isBegun, { describe: 'the beginning' });
    // From here on it gets what the feed offers.
    await nextTurn();
    await fire(20);
    await until(() => ids.length >= 20, { describe: () => `20 events, not ${ids}` });
    expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    over.abort();
    await following;
  });
});
