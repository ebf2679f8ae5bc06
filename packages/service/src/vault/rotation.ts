import type { Storage } from '../storage/storage.ts';
import type { Admitted } from './admission.ts';
import { unwrap, wrap } from './data-keys.ts';
import { type MasterKeys, newMasterKey } from './master-key.ts';
import { keysNotWrappedBy, replaceFingerprint, replaceWrappedKey } from './store.ts';

export interface Rotation {
  /** Number of data keys that were wrapped again. */
  readonly rewrapped: number;
  /** Fingerprint of the current master key. */
  readonly fingerprint: string;
}

/** Small enough not to delay concurrent requests noticeably. */
const BATCH = 50;

/**
 * Wraps every data key with the current master key, in small transactions. Can be interrupted: each row names the key
 * that wraps it, so the next run continues.
 */
async function rewrap(storage: Storage, keys: MasterKeys): Promise<Rotation> {
  const { fingerprint } = keys.current;
  let rewrapped = 0;
  for (;;) {
    const done = await storage.write(async (tx) => {
      const rows = await keysNotWrappedBy(tx, fingerprint, BATCH);
      for (const row of rows) await replaceWrappedKey(tx, wrap(keys, row.account_id, unwrap(keys, row)));
      // In the transaction that found no rows left: from here on a start does not need the former key.
      if (rows.length === 0) await replaceFingerprint(tx, fingerprint);
      return rows.length;
    });
    if (done === 0) return { rewrapped, fingerprint };
    rewrapped += done;
  }
}

/** Changes the master key, or finishes an interrupted change. One instance per process. */
export class Rotator {
  readonly #storage: Storage;
  readonly #admitted: Admitted;
  #running: Promise<Rotation> | undefined;

  constructor(storage: Storage, admitted: Admitted) {
    this.#storage = storage;
    this.#admitted = admitted;
  }

  /** Concurrent calls share one rotation. */
  rotate(): Promise<Rotation> {
    return this.#once(() => this.#rotate());
  }

  /** Called at start: with `new,old`, wraps the data keys that are still under the old key. */
  resume(): Promise<Rotation> {
    return this.#once(() => this.#finish());
  }

  #once(work: () => Promise<Rotation>): Promise<Rotation> {
    this.#running ??= work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #rotate(): Promise<Rotation> {
    const { file, keys } = this.#admitted;
    if (!file) return await this.#finish();
    const [current, ...former] = file.read() ?? [keys.current];
    // More than one key means that a rotation was interrupted; finish it before starting another.
    if (former.length === 0) {
      const next = newMasterKey();
      // Write both before anything is wrapped with the new key, so that a crash loses nothing.
      file.write([next, current]);
      keys.wrapWith(next);
    }
    return await this.#finish();
  }

  async #finish(): Promise<Rotation> {
    const { file, keys } = this.#admitted;
    const rotation = await rewrap(this.#storage, keys);
    // Nothing is wrapped with the former keys any more, so remove them.
    if (file && (file.read()?.length ?? 1) > 1) file.write([keys.current]);
    return rotation;
  }
}
