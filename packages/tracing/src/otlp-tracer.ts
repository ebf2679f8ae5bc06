import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { Attributes, Span, SpanOptions, Tracer } from './span.ts';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

class OpenSpan implements Span {
  readonly context: Context;
  readonly #span: OtelSpan;
  isOpen = true;

  constructor(span: OtelSpan, parent: Context) {
    this.#span = span;
    this.context = trace.setSpan(parent, span);
  }

  get traceParent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined && value !== null) this.#span.setAttribute(name, value);
  }

  fail(reason: string): void {
    this.#span.setAttribute('error.type', reason);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#span.end();
  }
}

/** Creates spans of OpenTelemetry. The current span follows the asynchronous calls of its work. */
export class OtlpTracer implements Tracer {
  readonly #tracer: OtelTracer;
  readonly #current = new AsyncLocalStorage<OpenSpan>();

  constructor(tracer: OtelTracer) {
    this.#tracer = tracer;
  }

  run<Result>(name: string, { kind, attributes, parent }: SpanOptions, work: (span: Span) => Result): Result {
    const above = this.#contextOf(parent);
    const span = new OpenSpan(
      this.#tracer.startSpan(name, { kind: kind ? kinds[kind] : SpanKind.INTERNAL }, above),
      above,
    );
    if (attributes) span.set(attributes);
    const failed = (error: unknown): never => {
      span.fail(reasonOf(error));
      span.end();
      throw error;
    };
    try {
      const result = this.#current.run(span, work, span);
      if (result instanceof Promise) return result.then(ended(span), failed) as Result;
      span.end();
      return result;
    } catch (error) {
      return failed(error);
    }
  }

  current(): string | undefined {
    return this.#open()?.traceParent;
  }

  bind<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
    const span = this.#open();
    return span === undefined ? work : (...args) => this.#current.run(span, work, ...args);
  }

  /** A loop that was started or woken inside of a span outlives it; what it does later does not belong to the span. */
  #open(): OpenSpan | undefined {
    const span = this.#current.getStore();
    return span?.isOpen ? span : undefined;
  }

  #contextOf(parent: string | null | undefined): Context {
    if (parent === undefined) return this.#open()?.context ?? ROOT_CONTEXT;
    const remote = parent === null ? null : parseTraceParent(parent);
    return remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT;
  }
}

const ended =
  (span: OpenSpan) =>
  <Value>(value: Value): Value => {
    span.end();
    return value;
  };

/** Codes and names only: the message of an error may quote a secret. */
function reasonOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const short = [code, name].find((text) => typeof text === 'string' && /^[\w.-]{1,64}$/.test(text));
  return typeof short === 'string' ? short : 'error';
}
