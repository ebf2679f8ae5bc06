import { setTimeout as sleep } from 'node:timers/promises';
import { queriesOn } from '../storage/session.ts';
import { type Storage, StorageUnavailable } from '../storage/storage.ts';

export interface Outage {
  end(): void;
}

export interface LosableStorage {
  readonly storage: Storage;
  /** Loses the database: queries and transactions wait for `patienceMs`, and are then refused, until the outage ends. */
  lose(patienceMs: number): Outage;
}

/** Wraps a storage whose database can be lost for a while, as in a failover. */
export function losableStorage(opened: Storage): LosableStorage {
  let outage: { readonly over: Promise<void>; readonly patienceMs: number } | undefined;
  const reachable = async () => {
    if (outage === undefined) return;
    await Promise.race([outage.over, sleep(outage.patienceMs)]);
    if (outage !== undefined) throw new StorageUnavailable();
  };
  const run: Storage['reader']['run'] = async (...of) => {
    await reachable();
    return await opened.reader.run(...of);
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
    lose(patienceMs) {
      const { promise: over, resolve } = Promise.withResolvers<void>();
      outage = { over, patienceMs };
      return {
        end() {
          outage = undefined;
          resolve();
        },
      };
    },
  };
}
