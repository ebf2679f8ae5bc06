import { randomBytes } from 'node:crypto';
import { openLocalBus } from '../bus/local-bus.ts';
import type { JobKind } from '../jobs/job.ts';
import { JobWorker } from '../jobs/worker.ts';
import { Dispatcher, type EventSubscriber } from '../outbox/dispatcher.ts';
import { newId } from '../records/ids.ts';
import type { Storage } from '../storage/storage.ts';
import { openVault } from '../vault/vault.ts';
import type { Engine } from './engines.ts';
import { QuietLog } from './quiet-log.ts';

/** What a pipeline leaves behind for one that continues after it, as after a restart. */
export interface LeftBehind {
  readonly storage: Storage;
  readonly time: { now: number };
  readonly masterKey: string;
}

/** Opens a storage with a manual clock and a vault; `carry` makes what carries events and jobs on it. */
export async function openEventPipeline(engine: Engine, again?: LeftBehind) {
  const time = again?.time ?? { now: Date.now() };
  const clock = () => time.now;
  const storage = again?.storage ?? (await engine.open({ clock }));
  const masterKey = again?.masterKey ?? randomBytes(32).toString('base64');
  const log = new QuietLog();
  const bus = openLocalBus({ log });
  storage.onCommit((notices) => {
    for (const { topic, message } of notices) bus.publish(topic, message);
  });
  const vault = await openVault(storage, { masterKey, dataDirectory: '/nowhere' });
  return {
    storage,
    time,
    masterKey,
    clock,
    log,
    vault,
    carry(handlers: Readonly<Record<string, JobKind>>, subscriber: EventSubscriber) {
      const dispatcher = new Dispatcher({ storage, bus, log, subscribers: [subscriber] });
      const worker = new JobWorker({ storage, bus, log, handlers, clock, replica: newId('job') });
      return {
        start() {
          dispatcher.start();
          worker.start();
        },
        async stop() {
          await dispatcher.stop();
          await worker.stop({ withinMs: 0 });
        },
        /** Lets time pass, and due jobs run. */
        pass(ms: number) {
          time.now += ms;
          bus.publish('jobs');
        },
      };
    },
  };
}
