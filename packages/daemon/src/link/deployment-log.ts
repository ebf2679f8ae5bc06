import type { ReportedLine } from '@hortus/contract/resources/deployments';
import { Backoff } from './backoff.ts';

export interface DeploymentLogOptions {
  /** Rejects when the lines did not arrive; they are then sent again. */
  send(lines: ReportedLine[]): Promise<void>;
  everyMs?: number;
  linesAtOnce?: number;
  /** How many lines wait at most while the service is away. */
  limit?: number;
}

const LONGEST = 16_384;

/** The lines of one deployment on their way to the service: in order, in batches, and never without end in memory. */
export class DeploymentLog {
  readonly #options: Required<DeploymentLogOptions>;
  readonly #backoff = new Backoff({ firstMs: 500, mostMs: 30_000 });
  #waiting: ReportedLine[] = [];
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(options: DeploymentLogOptions) {
    this.#options = { everyMs: 150, linesAtOnce: 200, limit: 5_000, ...options };
  }

  add(line: ReportedLine): void {
    const message = line.message.length > LONGEST ? `${line.message.slice(0, LONGEST - 1)}…` : line.message;
    this.#waiting.push({ ...line, message });
    if (this.#waiting.length > this.#options.limit) {
      this.#waiting.shift();
      this.#leftOut++;
    }
    if (this.#waiting.length >= this.#options.linesAtOnce) this.#sendNow();
    else this.#sendIn(this.#options.everyMs);
  }

  /** Stops sending and gives what is left, which then goes with the result. */
  async close(): Promise<ReportedLine[]> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    return this.#take(this.#waiting.length);
  }

  #sendIn(ms: number): void {
    if (this.#timer || this.#sending || this.#closed) return;
    this.#timer = setTimeout(() => this.#sendNow(), ms);
  }

  #sendNow(): void {
    if (this.#sending || this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#take(this.#options.linesAtOnce);
    this.#sending = this.#options
      .send(lines)
      .then(
        () => {
          this.#backoff.reset();
          return 0;
        },
        () => {
          this.#waiting.unshift(...lines);
          return this.#backoff.next();
        },
      )
      .then((pause) => {
        this.#sending = undefined;
        if (this.#waiting.length > 0) this.#sendIn(pause || this.#options.everyMs);
      });
  }

  #take(count: number): ReportedLine[] {
    const lines = this.#waiting.splice(0, count);
    const [first] = lines;
    if (this.#leftOut > 0 && first) {
      lines.unshift({ ...first, level: 'warn', message: `[${this.#leftOut} lines left out]` });
      this.#leftOut = 0;
    }
    return lines;
  }
}
