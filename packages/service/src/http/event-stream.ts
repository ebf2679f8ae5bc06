import { PassThrough } from 'node:stream';
import type { Exchange } from './exchange.ts';
import { frame } from './live-stream.ts';

export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Prevents proxies from buffering the whole answer.
  'X-Accel-Buffering': 'no',
};

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
      this.#exchange.status = 200;
      this.#exchange.with(EVENT_STREAM_HEADERS).send(this.#body);
    }
    if (!this.#body.destroyed) this.#body.write(frame({ event, data }));
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
