import { pathToFileURL } from 'node:url';
import { serviceWorker } from '@hortus/testkit/programs';
import type { Guard } from '../process/guard.ts';
import { openWorkerPool } from '../wiring/worker-pool.ts';
import type { ClosableWork, PoolLimits } from '../workers/pool.ts';

const pools = new Map<string, ClosableWork>();

/**
 * Returns the worker threads that all services of this process share, one pool for each set of limits. Loading the
 * program of a thread costs more than everything else that a service does at its start.
 */
export function sharedWork(_guard: Guard, limits: Partial<PoolLimits> = {}): ClosableWork {
  const key = JSON.stringify(limits);
  const pool = pools.get(key) ?? openWorkerPool(unguarded, limits, pathToFileURL(serviceWorker));
  pools.set(key, pool);
  // The threads do not keep the process running, so they end with it.
  return { run: pool.run, close: async () => {} };
}

/** The pool outlives the logs of its services; an error that leaves a listener fails the test run. */
const unguarded: Guard = (listener) =>
  function (this, ...args) {
    void listener.apply(this, args);
  };
