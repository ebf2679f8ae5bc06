/** Beyond either limit, reading from the daemon is paused until there is room. */
const MAX_MESSAGES = 64;
const MAX_BYTES = 1024 * 1024;

export interface InboxOptions<Message> {
  /** Must not reject. */
  readonly handle: (message: Message) => Promise<void>;
  readonly full: () => void;
  readonly roomAgain: () => void;
  /** Called when the inbox is empty; later messages need a new inbox. */
  readonly emptied: () => void;
}

/** Handles the messages of one connection one by one, in order. */
export class Inbox<Message> {
  readonly #options: InboxOptions<Message>;
  readonly #waiting: { readonly message: Message; readonly bytes: number }[] = [];
  #bytes = 0;
  #full = false;
  #working = false;

  constructor(options: InboxOptions<Message>) {
    this.#options = options;
  }

  add(message: Message, bytes: number): void {
    this.#waiting.push({ message, bytes });
    this.#bytes += bytes;
    if (!this.#full && (this.#waiting.length >= MAX_MESSAGES || this.#bytes >= MAX_BYTES)) {
      this.#full = true;
      this.#options.full();
    }
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#options.handle(next.message);
      this.#bytes -= next.bytes;
      if (this.#full && this.#waiting.length < MAX_MESSAGES / 2 && this.#bytes < MAX_BYTES / 2) {
        this.#full = false;
        this.#options.roomAgain();
      }
    }
    this.#options.emptied();
  }
}
