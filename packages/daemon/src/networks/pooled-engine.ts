import type { Engine } from '../engine/engine.ts';
import type { NetworkPool } from './network-pool.ts';

/** Wraps an engine so that new networks get their subnets from the pool. */
export const pooledEngine = (engine: Engine, pool: NetworkPool): Engine => ({
  ...engine,
  ensureNetwork: (spec) => pool.ensureNetwork(spec),
});
