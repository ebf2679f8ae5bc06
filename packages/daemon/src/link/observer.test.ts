import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import type { ContainerEvent, Engine, LabelFilter } from '../engine/engine.ts';
import { label } from '../plan/labels.ts';
import { Observer, type ObserverOptions } from './observer.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** An engine without containers that remembers which instances it was asked for. */
function openObserver() {
  const asked: unknown[] = [];
  let tell: (event: ContainerEvent) => void = () => {};
  const engine = {
    containers: async ({ labels }: { labels: LabelFilter }) => {
      asked.push(labels[label.instance] ?? 'all');
      return [];
    },
    events: (_: unknown, on: typeof tell, signal: AbortSignal) => {
      tell = on;
      return new Promise<void>((done) => signal.addEventListener('abort', () => done()));
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
  });
  observer.start();
  const event = (action: string, uid: string) =>
    tell({ action, id: uid, at: 0, attributes: { [label.instance]: uid } });
  return { observer, asked, event };
}

it('looks only at the instance that an event is about, and not at all for a command inside a container', async () => {
  const { observer, asked, event } = openObserver();
  await until(() => asked.length === 1, { describe: 'the first look at everything' });
  for (const action of ['exec_create: true', 'exec_start: true', 'exec_die']) event(action, 'busy');
  event('die', 'ill');
  await until(() => asked.length === 2, { describe: 'a look at what changed' });
  expect(asked).toEqual(['all', 'ill']);
  observer.stop();
});
