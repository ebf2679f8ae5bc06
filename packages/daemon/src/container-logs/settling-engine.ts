import type { Engine } from '../engine/engine.ts';
import type { ContainerLogs } from './container-logs.ts';

/** Wraps an engine so that the last output of a container is stored before the container is removed. */
export const settlingEngine = (engine: Engine, logs: Pick<ContainerLogs, 'settle'>): Engine => ({
  ...engine,
  async remove(id, options) {
    await logs.settle(id);
    await engine.remove(id, options);
  },
});
