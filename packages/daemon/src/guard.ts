import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { Log } from './log.ts';

/** Wraps a listener or timer callback and logs its exceptions and rejections; uncaught, they would end the process. */
export const guarded = <Args extends unknown[]>(log: Pick<Log, 'error'>, listener: (...args: Args) => unknown) =>
  guardedBy((error) => log.error({ err: error }, 'a listener failed'), listener);
