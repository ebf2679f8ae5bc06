import { expect, it } from 'vitest';
import { append, type NewEvent } from '../outbox/append.ts';
import type { EventSubscriber } from '../outbox/dispatcher.ts';
import type { SequencedEvent } from '../outbox/store.ts';
import { onBothEngines } from '../testing/engines.ts';
import { openJobQueue } from './testing/job-queue.ts';
import { wakeAfterWork, wakeOn, waker } from './wake.ts';

const waitingRows = [
  { id: 'row_1', for: 'dep_1' },
  { id: 'row_2', for: 'dep_2' },
  { id: 'row_3', for: 'exe_1' },
];
const waiting = async (_: unknown, ids: readonly string[]) => waitingRows.filter((row) => ids.includes(row.for));

onBothEngines((engine) => {
  async function wokenBy(subscriber: EventSubscriber, events: readonly [NewEvent['type'], string, object?][]) {
    const { storage, jobs } = await openJobQueue(engine);
    await storage.write(async (tx) => {
      const about = { accountId: 'acc_1', resourceType: 'deployment', actor: null };
      for (const [type, resourceId, data = {}] of events)
        await append(tx, { type, resourceId, ...about, data: { ...data } });
      const stored = await tx.db.selectFrom('events').selectAll().execute();
      await subscriber(tx, stored as unknown as SequencedEvent[]);
    });
    return (await jobs()).map(({ key }) => key).sort();
  }

  it('wakes the rows that wait for work which ended or was rolled back', async () => {
    const subscriber = wakeAfterWork('wait', waiting);
    expect(await wokenBy(subscriber, [['deployment.started', 'dep_1']])).toEqual([]);
    expect(
      await wokenBy(subscriber, [
        ['deployment.failed', 'dep_1'],
        ['deployment.success', 'dep_9', { rollback_of: 'dep_2' }],
        ['action.completed', 'exe_2'],
      ]),
    ).toEqual(['row_1', 'row_2']);
  });

  it('wakes rows on events of the given types only', async () => {
    const subscriber = wakeOn('wait', ['audit.migration_failed'], waiting);
    const events = [
      ['audit.migration_failed', 'dep_2'],
      ['audit.migration_switched', 'dep_1'],
    ] as const;
    expect(
      await wokenBy(
        subscriber,
        events.map(([type, id]) => [type, id]),
      ),
    ).toEqual(['row_2']);
  });

  it('keeps one job per row, at the earliest time asked for', async () => {
    const { storage, jobs, clock } = await openJobQueue(engine);
    const wake = waker('wait');
    for (const runAt of [clock.now + 9_000, clock.now + 2_000, clock.now + 5_000])
      await storage.write((tx) => wake(tx, 'row_1', runAt));
    expect((await jobs()).map(({ key, run_at }) => [key, run_at - clock.now])).toEqual([['row_1', 2_000]]);
    await storage.write((tx) => wake(tx, 'row_1'));
    expect((await jobs())[0]?.run_at).toBe(clock.now);
  });
});
