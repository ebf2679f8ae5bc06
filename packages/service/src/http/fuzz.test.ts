import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { fuzz } from '../testing/fuzz/fuzz.ts';
import { fuzzRuns } from '../testing/fuzz/runs.ts';
import { fuzzSockets } from '../testing/fuzz/sockets.ts';
import { startApp } from '../testing/running-service.ts';

/** `npm run fuzz` sets both. `npm test` requests every endpoint once, which does not depend on the speed of the machine. */
const { HORTUS_FUZZ_SEED: seed = '1', HORTUS_FUZZ_SECONDS: seconds = process.env.HORTUS_TEST_LONG ? '8' : '0' } =
  process.env;
const MAX_GROWTH = 200 * 1024 * 1024;
const MAX_SOCKET_GROWTH = 50 * 1024 * 1024;

/** What is left on the heap when all that could go has gone. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

onBothEngines((engine) => {
  it(
    'random requests get a published answer in time and leave no memory behind',
    async () => {
      const service = await startApp(engine);
      await fuzz(service, { seed: Number(seed), seconds: 0 });
      const before = heapInUse();
      const outcome = await fuzz(service, { seed: Number(seed) + 1, seconds: Number(seconds) });
      if (process.env.HORTUS_FUZZ_SECONDS) console.log(`${engine.name}:`, outcome);
      expect(heapInUse() - before).toBeLessThan(MAX_GROWTH);
      // If all of it were refused, nothing behind the checks would have been reached.
      const good = (outcome.statuses[200] ?? 0) + (outcome.statuses[201] ?? 0) + (outcome.statuses[202] ?? 0);
      expect(good / outcome.requests).toBeGreaterThan(0.1);
      expect(service.errors).toEqual([]);
    },
    (Number(seconds) + 600) * 1_000,
  );

  // Places are read before anything is stored, so an ordinary run tries them on one engine.
  if (engine.name === 'sqlite' || process.env.HORTUS_FUZZ_SECONDS)
    it(
      'long runs of one character are answered, in every place that accepts them',
      async () => {
        const service = await startApp(engine);
        const outcome = await fuzzRuns(service, { seconds: Number(seconds) / 2 });
        if (process.env.HORTUS_FUZZ_SECONDS) console.log(`${engine.name}, runs of one character:`, outcome);
        expect(outcome.statuses[200]).toBeGreaterThan(0);
        expect(outcome.statuses[422]).toBeGreaterThan(0);
        expect(service.errors).toEqual([]);
      },
      (Number(seconds) + 600) * 1_000,
    );

  it(
    'random socket bytes get at most one response, never crash the service and leave no memory behind',
    async () => {
      const service = await startApp(engine);
      await fuzzSockets(service, { seed: Number(seed), seconds: 0 });
      const before = heapInUse();
      const outcome = await fuzzSockets(service, { seed: Number(seed) + 1, seconds: Number(seconds) / 2 });
      if (process.env.HORTUS_FUZZ_SECONDS) console.log(`${engine.name}, sockets:`, outcome);
      expect(heapInUse() - before).toBeLessThan(MAX_SOCKET_GROWTH);
      // If none were let in, nothing behind the handshake would have been reached.
      expect(outcome.statuses[101]).toBeGreaterThan(outcome.connections / 100);
      expect(outcome.transferEnds).toBeGreaterThan(0);
      expect(service.errors).toEqual([]);
    },
    (Number(seconds) + 600) * 1_000,
  );
});
