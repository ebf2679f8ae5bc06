import { PassThrough } from 'node:stream';
import type { Exchange } from './exchange.ts';

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** Whether a caller wants to read along. */
export const wantsEvents = ({ headers }: Exchange): boolean =>
  /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(headers.accept ?? '');

/** Server-sent events in place of one answer. Until the first of them the answer can still become another one. */
export class EventStream {
  readonly #exchange: Exchange;
  readonly #body = new PassThrough();
  #begun = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    // A caller who left hears nothing more; what was written for him goes nowhere.
    this.#body.on(
      'error',
      exchange.guard(() => undefined),
    );
  }

  get begun(): boolean {
    return this.#begun;
  }

  emit(event: string, data: object): void {
    if (!this.#begun) {
      this.#begun = true;
      // A proxy that collects the whole answer first would take the point away.
      this.#exchange.status = 200;
      this.#exchange.with({ 'Content-Type': EVENT_STREAM_TYPE, 'X-Accel-Buffering': 'no' }).send(this.#body);
    }
    if (!this.#body.destroyed) this.#body.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    this.#body.end();
  }
}

const signals = new WeakMap<Exchange, AbortSignal>();

/** Fires when the connection closes before everything has been answered. */
export function goneSignal(exchange: Exchange): AbortSignal {
  let signal = signals.get(exchange);
  if (!signal) {
    const gone = new AbortController();
    const { response } = exchange;
    const closed = () => {
      if (!response.writableFinished) gone.abort();
    };
    response.once('close', exchange.guard(closed));
    signal = gone.signal;
    signals.set(exchange, signal);
  }
  return signal;
}
