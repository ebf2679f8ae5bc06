/** Beyond this many pending messages, the others are only told that they have missed some. */
const MAX_WAITING = 10_000;

/** Queue of messages to the other replicas; duplicates are sent once. */
export class Outgoing {
  readonly #replica: string;
  readonly #waiting = new Set<string>();

  constructor(replica: string) {
    this.#replica = replica;
  }

  get empty(): boolean {
    return this.#waiting.size === 0;
  }

  add(topic: string, message: string): void {
    this.#keep([JSON.stringify([this.#replica, topic, message])]);
  }

  take(): string[] {
    const payloads = [...this.#waiting];
    this.#waiting.clear();
    return payloads;
  }

  putBack(payloads: readonly string[]): void {
    this.#keep(payloads);
  }

  #keep(payloads: readonly string[]): void {
    for (const payload of payloads) this.#waiting.add(payload);
    if (this.#waiting.size <= MAX_WAITING) return;
    this.#waiting.clear();
    this.#waiting.add(JSON.stringify([this.#replica]));
  }
}

type Notice =
  | { readonly replica: string; readonly gap: true }
  | { readonly replica: string; readonly gap: false; readonly topic: string; readonly message: string };

/** Parses a payload; undefined if it was not written by a replica: the channel belongs to the whole database. */
export function readPayload(payload: string): Notice | undefined {
  try {
    const parts: unknown = JSON.parse(payload);
    if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) return undefined;
    const [replica, topic, message] = parts as string[];
    if (replica === undefined) return undefined;
    return topic === undefined || message === undefined
      ? { replica, gap: true }
      : { replica, gap: false, topic, message };
  } catch {
    return undefined;
  }
}
