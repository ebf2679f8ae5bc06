import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import type { Bus } from '../bus/bus.ts';
import { openLocalBus } from '../bus/local-bus.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { append } from './append.ts';
import { Dispatcher, type EventSubscriber } from './dispatcher.ts';
import { hasUntold } from './store.ts';

const event = (tx: Tx, resourceId: string) =>
  append(tx, {
    type: 'audit.tested',
    accountId: 'acc_1',
    resourceType: 'plant',
    resourceId,
    actor: null,
    data: { leaf: resourceId },
  });

const seqs = async (storage: Storage) =>
  (await storage.reader.db.selectFrom('events').select(['seq', 'resource_id']).orderBy('seq').execute()).map(
    (row) => [row.seq, row.resource_id] as const,
  );

const busOf = (storage: Storage): Bus => {
  const bus = openLocalBus({ log: new QuietLog() });
  storage.onCommit((notices) => {
    for (const { topic, message } of notices) bus.publish(topic, message);
  });
  return bus;
};

onDifferingEngines('numbering of events', (engine) => {
  async function running(subscribers: EventSubscriber[], options: { sweepMs?: number } = {}) {
    const storage = await engine.open();
    const log = new QuietLog();
    const dispatcher = new Dispatcher({ storage, bus: busOf(storage), subscribers, log, sweepMs: 60_000, ...options });
    return { storage, dispatcher, log };
  }

  describe('the dispatcher', () => {
    it('numbers events as soon as they are committed, and notifies each subscriber once', async () => {
      const reported: [number, string][] = [];
      const { storage, dispatcher } = await running([
        async (_, events) => void reported.push(...events.map((e) => [e.seq, e.resource_id] as [number, string])),
      ]);
      dispatcher.start();
      await storage.write((tx) => event(tx, 'a'));
      await until(() => reported.length === 1, { describe: 'the first event' });
      await storage.write(async (tx) => {
        await event(tx, 'b');
        await event(tx, 'c');
      });
      await until(() => reported.length === 3, { describe: 'the others' });
      await dispatcher.stop();
      expect(reported).toEqual([
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ]);
      expect(await seqs(storage)).toEqual(reported);
    });

    it('works through a backlog in batches', async () => {
      const sizes: number[] = [];
      const { storage, dispatcher } = await running([async (_, events) => void sizes.push(events.length)]);
      await storage.write(async (tx) => {
        for (let i = 0; i < 1_100; i++) await event(tx, String(i));
      });
      dispatcher.start();
      await until(() => sizes.length === 3, { describe: () => `three batches: ${sizes}` });
      await dispatcher.stop();
      expect(sizes).toEqual([500, 500, 100]);
      expect((await seqs(storage)).map(([seq]) => seq)).toEqual(Array.from({ length: 1_100 }, (_, i) => i + 1));
    });

    it('retries an event until every subscriber has succeeded', async () => {
      let tries = 0;
      const { storage, dispatcher, log } = await running([
        async (tx, events) => {
          await tx.db
            .insertInto('settings')
            .values({ name: `told of ${events.map((e) => e.resource_id)}`, value: '' })
            .execute();
          if (++tries === 1) throw new Error('not now');
        },
      ]);
      await storage.write((tx) => event(tx, 'a'));
      dispatcher.start();
      await until(() => log.lines.length === 1, { describe: 'the report of the failure' });
      await until(async () => !(await hasUntold(storage.reader)), { describe: 'the second try' });
      await dispatcher.stop();
      expect(tries).toBe(2);
      expect(await seqs(storage)).toEqual([[1, 'a']]);
    });

    it('finds events whose notification was lost', async () => {
      const { storage, dispatcher } = await running([], { sweepMs: 20 });
      dispatcher.start();
      await storage.write(async (tx) => {
        const { engine: name, now, db, outside } = tx;
        await event(
          { engine: name, now, db, outside, run: (...query) => tx.run(...query), notify: () => {} },
          'silent',
        );
      });
      await until(async () => !(await hasUntold(storage.reader)), { describe: 'the sweep' });
      await dispatcher.stop();
    });

    it('continues the numbering after all events were removed', async () => {
      const { storage, dispatcher } = await running([]);
      dispatcher.start();
      await storage.write((tx) => event(tx, 'old'));
      await until(async () => (await seqs(storage))[0]?.[0] === 1, { describe: 'the first number' });
      await storage.write((tx) => tx.db.deleteFrom('events').execute());
      await storage.write((tx) => event(tx, 'new'));
      await until(async () => (await seqs(storage))[0]?.[0] === 2, { describe: 'the next number' });
      await dispatcher.stop();
    });
  });

  if (engine.name === 'postgres') {
    it('the events of a transaction that commits late are numbered, and none is lost', async () => {
      const { storage, dispatcher } = await running([], { sweepMs: 10 });
      dispatcher.start();
      await storage.write(async (tx) => {
        await event(tx, 'late');
        // This one takes a higher position and is committed and numbered first.
        await storage.write((other) => event(other, 'early'));
        await until(async () => (await seqs(storage))[0]?.[0] === 1, { describe: 'the number of the early one' });
      });
      await until(async () => (await seqs(storage))[1]?.[0] === 2, { describe: 'the number of the late one' });
      await dispatcher.stop();
      expect(await seqs(storage)).toEqual([
        [1, 'early'],
        [2, 'late'],
      ]);
    });
  }
});
