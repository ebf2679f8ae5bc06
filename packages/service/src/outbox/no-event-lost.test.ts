import { definitionMachine } from '@hortus/contract/machines/definition';
import { step } from '@hortus/contract/machines/machine';
import { until } from '@hortus/testkit/until';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openLocalBus } from '../bus/local-bus.ts';
import { Problem } from '../problem.ts';
import { newId } from '../records/ids.ts';
import { begin, type Lifecycle, transition } from '../state/transition.ts';
import { forUpdate } from '../storage/locking.ts';
import type { Storage, StorageHooks, Tx } from '../storage/storage.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { type DefinitionParents, definitionRow, insertDefinitionParents } from '../testing/rows.ts';
import { Dispatcher } from './dispatcher.ts';
import { hasUntold } from './store.ts';

const lifecycle: Lifecycle<typeof definitionMachine, 'definitions'> = {
  machine: definitionMachine,
  table: 'definitions',
  resource: 'definition',
  guards: { 'succeeded before': (row) => row.succeeded_at !== null },
  accountOf: (row) => row.account_id,
  eventData: (row) => ({ status: row.status, revision: row.current_revision }),
};

/** The revision counts the changes of a definition, so it says which place an acknowledged change has in its history. */
interface Acknowledged {
  readonly revision: number;
  readonly status: string;
  readonly event: string | undefined;
}

const moves = ['revise', 'succeed', 'archive', 'activate'] as const;

const action = fc.record({
  definition: fc.nat({ max: 2 }),
  move: fc.constantFrom(...moves),
  /** What goes wrong: nothing, the callback after its work, or the connection before its nth statement. */
  fault: fc.oneof(
    { weight: 4, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constant('rollback' as const) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
  ),
});
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;
const actors = fc.array(fc.array(action, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 4 });

class Fault extends Error {}

/** Makes one change as an actor would, and returns the answer. */
async function act(storage: Storage, id: string, { move, fault }: Action) {
  let statements = 0;
  return await storage.write(async (overrides): Promise<Acknowledged> => {
    statements = 0;
    const failing = () => {
      if (typeof fault === 'number' && ++statements === fault) throw new Fault();
    };
    const tx: Tx = {
      engine: overrides.engine,
      now: overrides.now,
      db: overrides.db,
      notify: (topic, message) => overrides.notify(topic, message),
      outside: overrides.outside,
      run: async (...query) => {
        failing();
        return await overrides.run(...query);
      },
    };
    const row = await forUpdate(
      overrides,
      overrides.db.selectFrom('definitions').selectAll().where('id', '=', id),
    ).executeTakeFirstOrThrow();
    const revision = row.current_revision + 1;
    const event = step(definitionMachine, row.status, move, () => row.succeeded_at !== null)?.event;
    const set = { current_revision: revision, ...(move === 'succeed' ? { succeeded_at: overrides.now } : {}) };
    const { status } = await transition(tx, lifecycle, row, move, { actor: null, set });
    if (fault === 'rollback') throw new Fault();
    return { revision, status, event };
  });
}

onDifferingEngines('numbering of events', (engine) => {
  it('no event is lost, duplicated or reordered, whatever fails in between', async () => {
    // The dispatchers' own transactions fail as well, between any two of their statements.
    let dispatches = 0;
    let stormy = true;
    const hooks: StorageHooks = {
      beforeStatement: (text) => {
        if (stormy && /row_number|update "settings"/.test(text) && ++dispatches % 3 === 0) throw new Fault();
      },
    };
    const storage = await engine.open(hooks);
    const bus = openLocalBus({ log: new QuietLog() });
    storage.onCommit((notices) => {
      for (const { topic, message } of notices) bus.publish(topic, message);
    });
    // Two of them, as two replicas would be.
    const dispatchers = [0, 1].map(
      () =>
        new Dispatcher({
          storage,
          bus,
          log: new QuietLog(),
          sweepMs: 50,
          pauseMs: 1,
          subscribers: [
            async (tx, events) => {
              const values = events.map((event) => ({
                name: `fan-out ${newId('job')}`,
                value: `${event.seq} ${event.id}`,
              }));
              await tx.db.insertInto('settings').values(values).execute();
            },
          ],
        }),
    );
    for (const dispatcher of dispatchers) dispatcher.start();
    const parents = await insertDefinitionParents(storage);

    await fc.assert(
      fc.asyncProperty(actors, async (plans) => {
        stormy = true;
        const ids = await insertDefinitions(storage, parents, 3);
        const histories = new Map<string, Acknowledged[]>(
          ids.map((id) => [id, [{ revision: 1, status: 'pending', event: 'definition.created' }]]),
        );
        await Promise.all(
          plans.map(async (plan) => {
            for (const item of plan) {
              const id = ids[item.definition] as string;
              try {
                histories.get(id)?.push(await act(storage, id, item));
              } catch (error) {
                if (!(error instanceof Fault || error instanceof Problem)) throw error;
              }
            }
          }),
        );
        stormy = false;
        bus.publish('events');
        await allNumbered(storage);
        for (const [id, history] of histories) {
          history.sort((a, b) => a.revision - b.revision);
          // No change was lost or made twice.
          expect(history.map((h) => h.revision)).toEqual(history.map((_, i) => i + 1));
          const reported = await eventsOf(storage, id);
          expect(reported).toEqual(history.filter((h) => h.event !== undefined));
        }
      }),
      { numRuns: 25 },
    );

    for (const dispatcher of dispatchers) await dispatcher.stop();
    const all = await storage.reader.db.selectFrom('events').select(['seq', 'id']).orderBy('seq').execute();
    expect(all.map((event) => event.seq)).toEqual(all.map((_, i) => i + 1));
    // And the fan-out has seen each of them once.
    const seen = await storage.reader.db
      .selectFrom('settings')
      .select('value')
      .where('name', 'like', 'fan-out %')
      .execute();
    const bySeq = (x: string, y: string) => Number.parseInt(x, 10) - Number.parseInt(y, 10);
    expect(seen.map((row) => row.value).sort(bySeq)).toEqual(all.map(({ seq, id }) => `${seq} ${id}`));
  });
});

async function insertDefinitions(storage: Storage, parents: DefinitionParents, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.push((await storage.write((tx) => begin(tx, lifecycle, definitionRow(tx, parents), 'create', null))).id);
  }
  return ids;
}

const allNumbered = (storage: Storage) =>
  until(async () => !(await hasUntold(storage.reader)), { describe: 'a number for every event', every: 5 });

async function eventsOf(storage: Storage, id: string): Promise<Acknowledged[]> {
  const rows = await storage.reader.db
    .selectFrom('events')
    .select(['type', 'data'])
    .where('resource_id', '=', id)
    .orderBy('seq')
    .execute();
  return rows.map(({ type, data }) => {
    const { revision, status } = JSON.parse(data);
    return { revision, status, event: type };
  });
}
