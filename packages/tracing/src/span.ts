/**
 * What a span says about its work: ids, names and numbers. Never a secret, a body, a query value or the text of an
 * error: they leave the machine.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface SpanOptions {
  /** How it relates to other processes; internal by default. */
  readonly kind?: 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: Attributes;
  /** The `traceparent` of its parent; null begins a trace of its own. Default is the current span. */
  readonly parent?: string | null | undefined;
}

export interface Span {
  set(attributes: Attributes): void;
  /** Marks it as failed. `reason` is a code or the name of an error, not its text. */
  fail(reason: string): void;
  /** Ends it before its work ends. Idempotent. */
  end(): void;
}

export interface Tracer {
  run<Result>(name: string, options: SpanOptions, work: (span: Span) => Result): Result;
  current(): string | undefined;
  bind<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result;
}

/** Undefined unless this process exports traces: then nothing below does more than one comparison. */
let tracer: Tracer | undefined;

export function useTracer(used: Tracer | undefined): void {
  tracer = used;
}

export const isTracing = (): boolean => tracer !== undefined;

const noSpan: Span = { set() {}, fail() {}, end() {} };

/** Runs work in a span, which ends with the work and fails if it throws. */
export function span<Result>(name: string, options: SpanOptions, work: (span: Span) => Result): Result {
  return tracer === undefined ? work(noSpan) : tracer.run(name, options, work);
}

/** Returns the W3C `traceparent` of the current span; undefined outside of spans and after their end. */
export const traceParent = (): string | undefined => tracer?.current();

/** Keeps the current span for work that something else runs later, such as a queue. */
export const inThisSpan = <Args extends unknown[], Result>(
  work: (...args: Args) => Result,
): ((...args: Args) => Result) => (tracer === undefined ? work : tracer.bind(work));
