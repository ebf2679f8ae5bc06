import type { Notice } from './storage.ts';

type Listener = (notices: readonly Notice[]) => void;

/** Whom a storage tells of its commits. */
export class CommitListeners {
  readonly #listeners: Listener[] = [];

  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  tell(notices: readonly Notice[]): void {
    if (notices.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(notices);
      } catch (error) {
        // The commit stands whatever a listener does, so its caller must not hear of this; the process must.
        setImmediate(() => {
          throw error;
        });
      }
    }
  }
}
