import type { EventSubscriber } from '../outbox/dispatcher.ts';
import { endedIn } from '../outbox/ended.ts';
import type { SequencedEvent } from '../outbox/store.ts';
import type { Tx } from '../storage/storage.ts';
import { enqueue } from './enqueue.ts';

/** Advances the row of a job now, or no later than `runAt`; the row's first call creates the job. */
export type Wake = (tx: Tx, id: string, runAt?: number) => Promise<void>;

/** Makes the function that wakes the job of a row. The key is the id of the row, so that a row has one job. */
export const waker =
  (kind: string): Wake =>
  (tx, id, runAt = tx.now) =>
    enqueue(tx, { kind, key: id, payload: null, runAt });

/** Finds the rows that wait for one of these ids. */
type Waiting = (tx: Tx, ids: readonly string[]) => Promise<readonly { readonly id: string }[]>;

/** Wakes rows when the deployments and executions that they wait for have ended. */
export const wakeAfterWork = (kind: string, waiting: Waiting): EventSubscriber => subscriber(kind, endedIn, waiting);

/** Wakes rows on events of these types; the rows wait for the resources of the events. */
export const wakeOn = (kind: string, types: readonly SequencedEvent['type'][], waiting: Waiting): EventSubscriber =>
  subscriber(
    kind,
    async (_, events) => events.filter(({ type }) => types.includes(type)).map(({ resource_id }) => resource_id),
    waiting,
  );

const subscriber =
  (
    kind: string,
    idsOf: (tx: Tx, events: readonly SequencedEvent[]) => Promise<string[]>,
    waiting: Waiting,
  ): EventSubscriber =>
  async (tx, events) => {
    const ids = await idsOf(tx, events);
    if (ids.length === 0) return;
    const wake = waker(kind);
    for (const { id } of await waiting(tx, ids)) await wake(tx, id);
  };
