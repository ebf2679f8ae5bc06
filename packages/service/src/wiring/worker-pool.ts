import type { Guard } from '../guard.ts';
import { type PoolLimits, WorkerPool } from '../workers/pool.ts';

/** Opens the pool whose threads know the jobs of every resource. */
export const openWorkerPool = (guard: Guard, limits?: Partial<PoolLimits>): WorkerPool =>
  new WorkerPool(new URL('./worker.ts', import.meta.url), guard, limits);
