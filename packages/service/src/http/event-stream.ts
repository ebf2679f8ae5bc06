import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** Whether a caller wants to read along. */
export const wantsEvents = ({ headers }: FastifyRequest): boolean =>
  /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(headers.accept ?? '');

/** Server-sent events in place of one answer. Until the first of them the answer can still become another one. */
export class EventStream {
  readonly #reply: FastifyReply;
  readonly #body = new PassThrough();
  #begun = false;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
    // A caller who left hears nothing more; what was written for him goes nowhere.
    this.#body.on('error', () => undefined);
  }

  get begun(): boolean {
    return this.#begun;
  }

  emit(event: string, data: object): void {
    if (!this.#begun) {
      this.#begun = true;
      // A proxy that collects the whole answer first would take the point away.
      this.#reply.code(200).headers({ 'Content-Type': EVENT_STREAM_TYPE, 'X-Accel-Buffering': 'no' });
      void this.#reply.send(this.#body);
    }
    if (!this.#body.destroyed) this.#body.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    this.#body.end();
  }
}

const signals = new WeakMap<FastifyReply, AbortSignal>();

/** Fires when the connection closes before everything has been answered. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  let signal = signals.get(reply);
  if (!signal) {
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    signal = gone.signal;
    signals.set(reply, signal);
  }
  return signal;
}
