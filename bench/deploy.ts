import { type Bench, median } from './claim.ts';
import { cli, dockerRun, NETWORK } from './docker-cli.ts';
import { define, deploy, quietTime, startServiceWithEngine, timed } from './service-with-engine.ts';

const WARM_UP = 3;
const PAIRS = 8;

/** Measures a deployment until `success`, including health, against `docker run -d` with the same image, volume, limits and network. */
export const deployBench: Bench = {
  name: 'deploy',
  async run(repetitions) {
    await using system = await startServiceWithEngine();
    await cli(system, ['network', 'create', NETWORK]);
    const all: { ours: number; bare: number }[] = [];
    for (let i = 0; i < WARM_UP + PAIRS * repetitions; i++) {
      const definition = await define(system, `seed-${i}`);
      const quiet = i === 0 ? 0 : quietTime(all.map((p) => p.ours));
      const ours = () => timed(() => deploy(system, definition, quiet));
      const bare = () => timed(() => dockerRun(system, `bare-${i}`));
      // Alternates the order, so that leftover work does not always burden the same side.
      all.push(i % 2 === 0 ? { ours: await ours(), bare: await bare() } : { bare: await bare(), ours: await ours() });
    }
    const pairs = all.slice(WARM_UP);
    return [
      {
        claim: 'POST /deployments/execute until success',
        value: median(pairs.map((p) => p.ours)),
        unit: 'ms',
        against: { name: 'ms docker run -d', value: median(pairs.map((p) => p.bare)) },
        ratio: median(pairs.map((p) => p.ours / p.bare)),
        promise: { atMost: 1.25 },
        note: 'aim: 1.2; one container, image present, with network, volume and health check',
      },
    ];
  },
};
