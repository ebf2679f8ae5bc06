import { type Bench, median } from './claim.ts';
import { cli, dockerRun, NETWORK } from './docker-cli.ts';
import { define, deploy, startServiceWithEngine, timed } from './service-with-engine.ts';

const WARM_UP = 2;
const PAIRS = 8;

/** Measures the downtime of a container with storage when it is replaced, against `docker stop` and `docker start`. */
export const gapBench: Bench = {
  name: 'gap',
  async run(repetitions) {
    await using system = await startServiceWithEngine();
    const { client } = system;
    await cli(system, ['network', 'create', NETWORK]);
    await dockerRun(system, 'bare', ['--init']);
    const definition = await define(system, 'shrub', 'shrub');
    await deploy(system, definition);
    const all: { ours: number; bare: number }[] = [];
    for (let i = 0; i < WARM_UP + PAIRS * repetitions; i++) {
      const ours = async () => {
        await client.call('definitions.update', { params: { id: definition }, body: { inputs: { ROUND: String(i) } } });
        const { gap_ms } = await deploy(system, definition);
        return gap_ms ?? Number.NaN;
      };
      const bare = () =>
        timed(async () => {
          await cli(system, ['stop', 'bare']);
          await cli(system, ['start', 'bare']);
        });
      // Alternates the order, so that leftover work does not always burden the same side.
      all.push(i % 2 === 0 ? { ours: await ours(), bare: await bare() } : { bare: await bare(), ours: await ours() });
    }
    const pairs = all.slice(WARM_UP);
    return [
      {
        claim: 'gap of a rollout that replaces a container',
        value: median(pairs.map((p) => p.ours)),
        unit: 'ms',
        against: { name: 'ms docker stop && docker start', value: median(pairs.map((p) => p.bare)) },
        ratio: median(pairs.map((p) => p.ours / p.bare)),
        promise: { atMost: 1.5 },
        note: 'until the new one is healthy; with network, volume and limits',
      },
    ];
  },
};
