import type { Guard } from '../process/guard.ts';
import { type PoolLimits, WorkerPool } from '../workers/pool.ts';

const source = new URL('./worker.ts', import.meta.url);

/** Opens the pool whose threads know the jobs of every resource. `program` is their module, bundled or not. */
export const openWorkerPool = (guard: Guard, limits?: Partial<PoolLimits>, program = source): WorkerPool =>
  new WorkerPool(program, guard, limits);
