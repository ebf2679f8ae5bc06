import type { Notice } from './storage.ts';

type Listener = (notices: readonly Notice[]) => void;

/** The commit listeners of a storage. */
export class CommitListeners {
  readonly #listeners: Listener[] = [];

  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  notify(notices: readonly Notice[]): void {
    if (notices.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(notices);
      } catch (error) {
        // The commit is durable regardless of its listeners, so the caller must not get the error; it crashes the
        // process instead.
        setImmediate(() => {
          throw error;
        });
      }
    }
  }
}
