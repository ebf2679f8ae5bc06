import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import type { ContainerEvent, Engine, EventFilter, LabelFilter } from '../engine/engine.ts';
import { label } from '../plan/labels.ts';
import { Observer, type ObserverOptions } from './observer.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** An engine without containers that records which instances were queried. */
function openObserver(onEvent: (uid: string | undefined) => void = () => {}) {
  const asked: unknown[] = [];
  const asks: (number | undefined)[] = [];
  let notify: (event: ContainerEvent) => void = () => {};
  let hangUp = () => {};
  const engine = {
    containers: async ({ labels }: { labels: LabelFilter }) => {
      asked.push(labels[label.instance] ?? 'all');
      return [];
    },
    events: ({ since }: EventFilter, on: typeof notify, signal: AbortSignal) => {
      asks.push(since);
      notify = on;
      return new Promise<void>((done, fail) => {
        hangUp = () => fail(new Error('the engine ended the stream'));
        signal.addEventListener('abort', () => done());
      });
    },
  };
  const observer = new Observer({
    engine: engine as unknown as Engine,
    service: {} as ObserverOptions['service'],
    journal: {} as ObserverOptions['journal'],
    log: quiet as unknown as ObserverOptions['log'],
    serverId: () => 'srv_1',
    busy: () => false,
    collectMs: 1,
    onEvent,
  });
  observer.start();
  const event = (action: string, uid: string, at = 0) =>
    notify({ action, id: uid, at, attributes: { [label.instance]: uid } });
  return { observer, asked, asks, event, hangUp: () => hangUp() };
}

it('an engine event causes a check of its instance only, and execs are ignored', async () => {
  const { observer, asked, event } = openObserver();
  await until(() => asked.length === 1, { describe: 'the first check of everything' });
  for (const action of ['exec_create: true', 'exec_start: true', 'exec_die']) event(action, 'busy');
  event('die', 'ill');
  await until(() => asked.length === 2, { describe: 'a check of the changed instance' });
  expect(asked).toEqual(['all', 'ill']);
  observer.stop();
});

it('a storm of events of one instance is handled together, and does not delay another instance', async () => {
  const noticed: (string | undefined)[] = [];
  const { observer, event } = openObserver((uid) => noticed.push(uid));
  for (let i = 0; i < 10_000; i++) event('oom', 'hungry');
  event('die', 'ill');
  expect(noticed).toEqual([...Array(20).fill('hungry'), 'ill']);
  await until(() => noticed.length === 22, { describe: 'the rest of the storm' });
  expect(noticed.at(-1)).toBe('hungry');
  observer.stop();
});

it('an engine that is back is asked for the events since the last one', async () => {
  const begun = Date.now();
  const { observer, asks, event, hangUp } = openObserver();
  expect(asks[0]).toBeGreaterThanOrEqual(begun);
  event('die', 'ill', 1_234);
  hangUp();
  await until(() => asks.length === 2, { describe: 'events to be requested again' });
  // It is not back yet; events in the meantime must not be lost.
  hangUp();
  await until(() => asks.length === 3, { describe: 'events to be requested once more' });
  expect(asks.slice(1)).toEqual([1_234, 1_234]);
  observer.stop();
});
