import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { onDifferingEngines } from '../testing/engines.ts';
import { enqueue, JOBS_TOPIC, SWEEP_MS } from './enqueue.ts';
import { Gate, openJobQueue } from './testing/job-queue.ts';

onDifferingEngines('claims of jobs and notices about them', (engine) => {
  it('a failed transaction enqueues no job', async () => {
    const { storage, jobs } = await openJobQueue(engine);
    const failing = storage.write(async (tx) => {
      await enqueue(tx, { kind: 'water', payload: null });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await jobs()).toEqual([]);
  });

  it('a key has one unfinished job, due at the earliest requested time', async () => {
    const { jobs, clock, add } = await openJobQueue(engine);
    await add({ key: 'fern', payload: 'first', runAt: clock.now + 2_000 });
    await add({ key: 'fern', payload: 'second', runAt: clock.now + 9_000 });
    expect(await jobs()).toMatchObject([{ payload: '"first"', run_at: clock.now + 2_000 }]);
    await add({ key: 'fern', runAt: clock.now + 1_000 });
    expect(await jobs()).toMatchObject([{ payload: '"first"', run_at: clock.now + 1_000 }]);
    await add({ key: 'moss' });
    await add({ key: 'fern', kind: 'prune' });
    expect(await jobs()).toHaveLength(3);
  });

  it('jobs without a key are not merged', async () => {
    const { jobs, add } = await openJobQueue(engine);
    await add();
    await add();
    expect(await jobs()).toHaveLength(2);
  });

  it('a worker is woken for a job that is due before its next sweep, and not for a later one', async () => {
    const { storage, clock, add } = await openJobQueue(engine);
    const woken: string[] = [];
    storage.onCommit((notices) => {
      woken.push(...notices.filter(({ topic }) => topic === JOBS_TOPIC).map(({ message }) => message));
    });
    await add({ kind: 'later', runAt: clock.now + SWEEP_MS });
    await add({ kind: 'soon', runAt: clock.now + SWEEP_MS - 1 });
    await until(() => woken.length > 0, { describe: 'a notice' });
    expect(woken).toEqual(['soon']);
  });

  it('enqueueing during a run of the same key causes one more run, at the earliest requested time', async () => {
    const { clock, worker, add, pass, none, jobs } = await openJobQueue(engine);
    const ranAt: number[] = [];
    const gate = new Gate();
    const item = worker({
      water: {
        run: async () => {
          if (ranAt.push(clock.now) === 1) await gate.pass();
          return 'done';
        },
      },
    });
    item.start();
    const begun = clock.now;
    await add({ key: 'fern' });
    await until(() => gate.waiting, { describe: 'the first run' });
    await add({ key: 'fern', runAt: begun + 7_200_000 });
    await add({ key: 'fern', runAt: begun + 3_600_000 });
    await add({ key: 'fern', runAt: begun + 7_200_000 });
    gate.open();
    await until(async () => (await jobs())[0]?.lease_owner === null, { describe: 'the end of the first run' });
    pass(3_600_000);
    await none();
    await item.stop();
    expect(ranAt).toEqual([begun, begun + 3_600_000]);
  });
});
