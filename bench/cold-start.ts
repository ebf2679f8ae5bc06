import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { type Bench, median } from './claim.ts';
import { startService } from './service-process.ts';

/** Measures process start to first 200, with the code cache of `npm start`. */
export const coldStart: Bench = {
  name: 'cold-start',
  async run(repetitions) {
    await using cache = temporaryFolder('compiled');
    const starts: number[] = [];
    const memory: number[] = [];
    // The first run fills the code cache and is not counted.
    for (let i = 0; i <= repetitions; i++) {
      const service = await startService({ env: { NODE_COMPILE_CACHE: cache.path } });
      if (i > 0) starts.push(service.readyMs);
      if (i > 0) memory.push(service.memory() / 2 ** 20);
      await service.stop();
    }
    return [
      { claim: 'start to first 200', value: median(starts), unit: 'ms', note: 'aim: under 1,000' },
      { claim: 'resident memory after start', value: median(memory), unit: 'MiB', note: 'aim: under 150' },
    ];
  },
};
