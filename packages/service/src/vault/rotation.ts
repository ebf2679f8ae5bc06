import type { Storage } from '../storage/storage.ts';
import type { Admitted } from './admission.ts';
import { unwrap, wrap } from './data-keys.ts';
import { type MasterKeys, newMasterKey } from './master-key.ts';
import { keysNotWrappedBy, replaceFingerprint, replaceWrappedKey } from './store.ts';

export interface Rotation {
  /** How many data keys were wrapped anew. */
  readonly rewrapped: number;
  /** Of the master key now in use. */
  readonly fingerprint: string;
}

/** Small enough that a request behind it does not notice. */
const BATCH = 50;

/**
 * Wraps every data key with the current master key, in small transactions while requests go on. It may stop anywhere:
 * each row says which key wraps it, so the next run goes on where this one ended.
 */
export async function rewrap(storage: Storage, keys: MasterKeys): Promise<Rotation> {
  const { fingerprint } = keys.current;
  let rewrapped = 0;
  for (;;) {
    const done = await storage.write(async (tx) => {
      const rows = await keysNotWrappedBy(tx, fingerprint, BATCH);
      for (const row of rows) await replaceWrappedKey(tx, wrap(keys, row.account_id, unwrap(keys, row)));
      // In the transaction that has seen nothing left: from here on the former key is not needed to start.
      if (rows.length === 0) await replaceFingerprint(tx, fingerprint);
      return rows.length;
    });
    if (done === 0) return { rewrapped, fingerprint };
    rewrapped += done;
  }
}

/** Changes the master key, or ends a change that was cut short. Only one at a time may run in a process. */
export class Rotator {
  readonly #storage: Storage;
  readonly #admitted: Admitted;
  #running: Promise<Rotation> | undefined;

  constructor(storage: Storage, admitted: Admitted) {
    this.#storage = storage;
    this.#admitted = admitted;
  }

  /** Two callers at once share one rotation. */
  rotate(): Promise<Rotation> {
    return this.#once(() => this.#rotate());
  }

  /** At start: with `new,old` the data keys still under the old one are wrapped anew. */
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
    // More than one means that a rotation did not end; that one is finished before another begins.
    if (former.length === 0) {
      const next = newMasterKey();
      // Both are on disk before anything is wrapped by the new one: a crash after this line finds what it needs.
      file.write([next, current]);
      keys.wrapWith(next);
    }
    return await this.#finish();
  }

  async #finish(): Promise<Rotation> {
    const { file, keys } = this.#admitted;
    const rotation = await rewrap(this.#storage, keys);
    // Nothing is wrapped by the former ones any more, so they may go.
    if (file && (file.read()?.length ?? 1) > 1) file.write([keys.current]);
    return rotation;
  }
}
