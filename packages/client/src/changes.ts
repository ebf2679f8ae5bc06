import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { Client } from './client.ts';

/**
 * Wakes a poller when the event stream reports a change of a resource, so that it can poll rarely and still learn of a
 * change at once. Without a stream (an older service, a key without `events:read`, too many streams) only time passes.
 */
export class Changes implements Disposable {
  readonly #leaving = new AbortController();
  #isLive = false;
  #hasChanged = false;
  #wake = () => {};

  constructor(client: Client, resourceId: string) {
    this.#follow(client, resourceId).catch(() => {
      this.#isLive = false;
      this.#changed();
    });
  }

  /** Whether changes are reported. A poller that relies on it must still poll now and then. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /**
   * Resolves at the next change, or at once if there was one since the last call; at the latest when `pause` does. The
   * signal tells `pause` that it is no longer needed.
   */
  async next(pause: (over: AbortSignal) => Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const woken = new Promise<void>((done) => {
      this.#wake = done;
    });
    if (this.#hasChanged) this.#wake();
    try {
      await Promise.race([woken, pause(over.signal)]);
    } finally {
      over.abort();
      this.#hasChanged = false;
    }
  }

  close(): void {
    this.#leaving.abort();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #follow(client: Client, resource_id: string): Promise<void> {
    const onOpen = () => {
      this.#isLive = true;
      // Something may have changed before the stream was open.
      this.#changed();
    };
    const stream = client.stream('events.list', {
      query: { resource_id },
      signal: this.#leaving.signal,
      attempts: 1,
      onOpen: guardedBy(() => {}, onOpen),
    });
    for await (const _ of stream) this.#changed();
  }

  #changed(): void {
    this.#hasChanged = true;
    this.#wake();
  }
}
