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

it('a single component is reported too, and again only when it changed or the service may have lost it', async () => {
  const container = {
    ...{ id: 'c1', name: 'page', image: 'page:1', state: 'running', health: 'healthy', startedAt: 1 },
    labels: { [label.managed]: 'true', [label.instance]: 'page', [label.component]: 'main', [label.primary]: 'true' },
  };
  const calls: string[] = [];
  const containers = async () => [container];
  const events = (_: EventFilter, __: unknown, signal: AbortSignal) =>
    new Promise<void>((done) => signal.addEventListener('abort', () => done()));
  const observer = new Observer({
    engine: { containers, events } as unknown as Engine,
    service: { call: async (name: string) => void calls.push(name) } as unknown as ObserverOptions['service'],
    journal: { manifests: { instanceId: () => 'ins_1' } } as unknown as ObserverOptions['journal'],
    log: quiet as unknown as ObserverOptions['log'],
    serverId: () => 'srv_1',
    busy: () => false,
    collectMs: 1,
    everyMs: 5,
  });
  const count = (name: string) => calls.filter((call) => call === name).length;
  const rounds = async (more: number) => {
    const wanted = count('instances.report') + more;
    await until(() => count('instances.report') >= wanted, { describe: 'further rounds' });
  };
  observer.start();
  await rounds(3);
  expect(count('instances.syncComponents')).toBe(1);
  container.health = 'unhealthy';
  await until(() => count('instances.syncComponents') === 2, { describe: 'the change' });
  observer.all();
  await until(() => count('instances.syncComponents') === 3, { describe: 'the repetition' });
  await rounds(2);
  observer.stop();
  expect(count('instances.syncComponents')).toBe(3);
});
