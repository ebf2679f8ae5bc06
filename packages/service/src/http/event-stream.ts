import { PassThrough } from 'node:stream';
import type { Exchange } from './exchange.ts';

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** Tells whether a caller accepts server-sent events. */
export const wantsEvents = ({ headers }: Exchange): boolean =>
  /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(headers.accept ?? '');

/** Server-sent events in place of one answer. Until the first event, another answer can still be sent. */
export class EventStream {
  readonly #exchange: Exchange;
  readonly #body = new PassThrough();
  #begun = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    // Ignore errors of a caller that has disconnected.
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
      // Prevents proxies from buffering the whole answer.
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

/** Returns a signal that fires if the connection closes before the answer is complete. */
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
