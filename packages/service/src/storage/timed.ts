import { queriesOn, type Session } from './session.ts';
import type { Storage } from './storage.ts';
import type { Tables } from './tables.ts';

/** Called with the time of every statement of the reader and of every transaction, failed ones included. */
export type ObserveTime = (operation: 'read' | 'write', seconds: number) => void;

/** Measures a storage. Callers get the promise of the storage itself, so that they resume no later than without it. */
export function timed(storage: Storage, observe: ObserveTime): Storage {
  const { engine, reader } = storage;
  const measured = <T>(operation: 'read' | 'write', begun: number, result: Promise<T>): Promise<T> => {
    const ended = () => observe(operation, (performance.now() - begun) / 1_000);
    result.then(ended, ended);
    return result;
  };
  const run: Session['run'] = (text, parameters, reused) =>
    measured('read', performance.now(), reader.run(text, parameters, reused));
  return {
    ...storage,
    reader: { ...reader, run, db: queriesOn<Tables>(engine, { run }) },
    write: (work) => measured('write', performance.now(), storage.write(work)),
  };
}
