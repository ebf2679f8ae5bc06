import { guardedBy } from '@hortus/client/guard';
import type { Log } from './log.ts';

/** Wraps a listener of a socket, or the callback of a timer, so that what it throws or rejects with is logged and ends nothing. */
export const guarded = <Args extends unknown[]>(log: Pick<Log, 'error'>, listener: (...args: Args) => unknown) =>
  guardedBy((error) => log.error('a listener failed', { error }), listener);
