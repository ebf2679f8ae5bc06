import { queriesOn, type Session } from './session.ts';
import type { Storage } from './storage.ts';
import type { Tables } from './tables.ts';

/** Called with the time of every statement of the reader and of every transaction, failed ones included. */
export type ObserveTime = (operation: 'read' | 'write', seconds: number) => void;

/** Measures a storage. */
export function timed(storage: Storage, observe: ObserveTime): Storage {
  const { engine, reader } = storage;
  const measured = async <T>(operation: 'read' | 'write', work: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      observe(operation, (performance.now() - begun) / 1_000);
    }
  };
  const run: Session['run'] = (...of) => measured('read', () => reader.run(...of));
  return {
    ...storage,
    reader: { engine, run, db: queriesOn<Tables>(engine, { run }) },
    write: (work) => measured('write', () => storage.write(work)),
  };
}
