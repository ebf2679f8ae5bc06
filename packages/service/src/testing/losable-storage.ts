import { setTimeout as sleep } from 'node:timers/promises';
import { queriesOn } from '../storage/session.ts';
import { type Storage, StorageUnavailable } from '../storage/storage.ts';

interface Outage {
  end(): void;
}

export interface LosableStorage {
  readonly storage: Storage;
  /** Loses the database: queries and transactions wait for `timeoutMs`, and are then refused, until the outage ends. */
  lose(timeoutMs: number): Outage;
}

/** Wraps a storage whose database can be lost for a while, as in a failover. */
export function losableStorage(opened: Storage): LosableStorage {
  let outage: { readonly over: Promise<void>; readonly timeoutMs: number } | undefined;
  const reachable = async () => {
    if (outage === undefined) return;
    await Promise.race([outage.over, sleep(outage.timeoutMs)]);
    if (outage !== undefined) throw new StorageUnavailable();
  };
  const run: Storage['reader']['run'] = async (...args) => {
    await reachable();
    return await opened.reader.run(...args);
  };
  const { background: _, ...reader } = opened.reader;
  return {
    storage: {
      ...opened,
      reader: { ...reader, run, db: queriesOn(opened.engine, { run }) },
      async write(work) {
        await reachable();
        return await opened.write(work);
      },
      async ping() {
        await reachable();
        await opened.ping();
      },
    },
    lose(timeoutMs) {
      const { promise: over, resolve } = Promise.withResolvers<void>();
      outage = { over, timeoutMs };
      return {
        end() {
          outage = undefined;
          resolve();
        },
      };
    },
  };
}
