import { inThisSpan, span, traceParent } from '@hortus/tracing/span';
import type { Storage, Tx } from './storage.ts';

/**
 * Adds a span to each transaction of a request or a job. Others, such as heartbeats, would be traces of one span each.
 */
export const withSpans = (storage: Storage): Storage => ({
  ...storage,
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    if (traceParent() === undefined) return storage.write(work);
    const options = { kind: 'client', attributes: { 'db.system.name': systems[storage.engine] } } as const;
    // A group commit runs the work of several callers, so each keeps its own span.
    return span('storage.write', options, () => storage.write(inThisSpan(work)));
  },
});

const systems = { sqlite: 'sqlite', postgres: 'postgresql' } as const;
