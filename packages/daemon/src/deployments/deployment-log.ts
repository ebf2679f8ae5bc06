import { randomUUID } from 'node:crypto';
import type { LogPosition, ReportedLine } from '@hortus/contract/resources/deployment-reports';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { Backoff } from '../concurrency/backoff.ts';

/** Lines with their position, so that the service recognises lines that it already has after a lost response. */
export interface LogBatch {
  logs: ReportedLine[];
  log_position: LogPosition;
}

export interface DeploymentLogOptions {
  /** Rejects if the lines did not arrive; they are then resent. */
  send(batch: LogBatch): Promise<void>;
  everyMs?: number;
  linesAtOnce?: number;
  /** Limit of waiting lines while the service is unreachable. */
  limit?: number;
}

const MAX_LENGTH = 16_384;

/** Sends the log lines of a deployment in order, in batches, and with a bounded buffer. */
export class DeploymentLog {
  readonly #options: Required<DeploymentLogOptions>;
  readonly #backoff = new Backoff({ firstMs: 500, maxMs: 30_000 });
  /** Changes with every daemon process, because positions then start at 0. */
  readonly #source = randomUUID();
  readonly #waiting: ReportedLine[] = [];
  /** Position of the first waiting line. */
  #from = 0;
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(options: DeploymentLogOptions) {
    this.#options = { everyMs: 150, linesAtOnce: 200, limit: 5_000, ...options };
  }

  add(line: ReportedLine): void {
    const message = line.message.length > MAX_LENGTH ? `${line.message.slice(0, MAX_LENGTH - 1)}…` : line.message;
    this.#waiting.push({ ...line, message });
    if (this.#waiting.length > this.#options.limit) {
      this.#drop(1);
      this.#leftOut++;
    }
    if (this.#waiting.length >= this.#options.linesAtOnce) this.#sendNow();
    else this.#sendIn(this.#options.everyMs);
  }

  /** Stops sending and returns the remaining lines, which are sent with the result. */
  async close(): Promise<LogBatch> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    return this.#batch(this.#waiting.length);
  }

  #sendIn(ms: number): void {
    if (this.#timer || this.#sending || this.#closed) return;
    const send = () => this.#sendNow();
    const again = () => this.#sendIn(this.#backoff.next());
    this.#timer = setTimeout(guardedBy(again, send), ms);
  }

  #sendNow(): void {
    if (this.#sending || this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch(this.#options.linesAtOnce);
    const end = batch.log_position.from + batch.logs.length;
    this.#sending = this.#options
      .send(batch)
      .then(
        () => {
          this.#backoff.reset();
          // Lines dropped meanwhile are harmless within this batch; count only those beyond it.
          this.#leftOut = Math.max(0, this.#from - end);
          this.#drop(Math.max(0, end - this.#from));
          return 0;
        },
        () => this.#backoff.next(),
      )
      .then((pause) => {
        this.#sending = undefined;
        if (this.#waiting.length > 0) this.#sendIn(pause || this.#options.everyMs);
      });
  }

  #drop(count: number): void {
    this.#waiting.splice(0, count);
    this.#from += count;
  }

  /** Builds a batch; the note about omitted lines takes the position of the last omitted one. */
  #batch(count: number): LogBatch {
    const logs = this.#waiting.slice(0, count);
    const [first] = logs;
    const note = this.#leftOut > 0 && first;
    if (note) logs.unshift({ ...first, level: 'warn', message: `[${this.#leftOut} lines omitted]` });
    return { logs, log_position: { source: this.#source, from: this.#from - (note ? 1 : 0) } };
  }
}
