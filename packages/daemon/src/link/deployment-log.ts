import { randomUUID } from 'node:crypto';
import { guardedBy } from '@hortus/client/guard';
import type { LogPosition, ReportedLine } from '@hortus/contract/resources/deployments';
import { Backoff } from './backoff.ts';

/** Lines and where they stand in the whole: so the service knows those that it has already, though we heard no answer. */
export interface LogBatch {
  logs: ReportedLine[];
  log_position: LogPosition;
}

export interface DeploymentLogOptions {
  /** Rejects when the lines did not arrive; they are then sent again. */
  send(batch: LogBatch): Promise<void>;
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
  /** Differs after a restart of the daemon, because the positions then begin at 0 again. */
  readonly #source = randomUUID();
  readonly #waiting: ReportedLine[] = [];
  /** The place of the first line that waits. */
  #from = 0;
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
      this.#drop(1);
      this.#leftOut++;
    }
    if (this.#waiting.length >= this.#options.linesAtOnce) this.#sendNow();
    else this.#sendIn(this.#options.everyMs);
  }

  /** Stops sending and gives what is left, which then goes with the result. */
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
          // Meanwhile some may have given way to newer ones: of this batch without harm, but not beyond it.
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

  /** The note about what was left out stands in the place of the last of it. */
  #batch(count: number): LogBatch {
    const logs = this.#waiting.slice(0, count);
    const [first] = logs;
    const note = this.#leftOut > 0 && first;
    if (note) logs.unshift({ ...first, level: 'warn', message: `[${this.#leftOut} lines left out]` });
    return { logs, log_position: { source: this.#source, from: this.#from - (note ? 1 : 0) } };
  }
}
