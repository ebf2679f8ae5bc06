import type { Logger } from 'pino';

/**
 * PostgreSQL limits a notice to less than 8,000 bytes, and a quoted character takes up to six. A message says only that
 * something happened, not what.
 */
const MAX_CHARACTERS = 1_200;

/** The listeners of this process. An error of one listener is logged and does not affect the others. */
export class Subscriptions {
  readonly #topics = new Map<string, Set<(message: string) => void>>();
  readonly #gaps: (() => void)[] = [];
  readonly #log: Pick<Logger, 'error'>;

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  add(topic: string, listener: (message: string) => void): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners);
    // Wrapped, so that subscribing a function twice creates two subscriptions.
    const own = (message: string) => listener(message);
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic);
    };
  }

  addGap(listener: () => void): void {
    this.#gaps.push(listener);
  }

  notify(topic: string, message: string): void {
    for (const listener of [...(this.#topics.get(topic) ?? [])]) {
      this.#guarded(topic, () => listener(message));
    }
  }

  reportGap(): void {
    for (const listener of this.#gaps) this.#guarded('gap', listener);
  }

  #guarded(topic: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error({ err: error, topic }, 'a listener of the bus failed');
    }
  }
}

export function refuseTooLong(topic: string, message: string): void {
  if (topic.length + message.length <= MAX_CHARACTERS) return;
  const what = `A message on ${topic.slice(0, 40)} is over ${MAX_CHARACTERS} characters`;
  throw new RangeError(`${what}: send an id instead of the content.`);
}
