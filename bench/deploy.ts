import { type Bench, type Figure, median } from './claim.ts';
import { cli, dockerRun, dockerRunInNewNetwork, NETWORK, plainRun } from './docker-cli.ts';
import { define, deploy, quietTime, startServiceWithEngine, timed } from './service-with-engine.ts';

const WARM_UP = 3;
const ROUNDS = 8;

type Round = Record<'ours' | 'same' | 'newNetwork' | 'plain', number>;

/** Measures a deployment until `success`, including health, against `docker run -d` of the same image in three ways. */
export const deployBench: Bench = {
  name: 'deploy',
  async run(repetitions) {
    await using system = await startServiceWithEngine();
    await cli(system, ['network', 'create', NETWORK]);
    const all: Round[] = [];
    for (let i = 0; i < WARM_UP + ROUNDS * repetitions; i++) {
      const definition = await define(system, `seed-${i}`);
      const quiet = i === 0 ? 0 : quietTime(all.map((round) => round.ours));
      const ways = [
        ['ours', () => deploy(system, definition, quiet)],
        ['same', () => dockerRun(system, `same-${i}`)],
        ['newNetwork', () => dockerRunInNewNetwork(system, `own-${i}`)],
        ['plain', () => plainRun(system, `plain-${i}`)],
      ] as const;
      // Each way begins in turn, so that leftover work does not always burden the same one.
      const round: Partial<Round> = {};
      for (const step of ways.keys()) {
        const [name, work] = ways[(i + step) % ways.length] as (typeof ways)[number];
        round[name] = await timed(work);
      }
      all.push(round as Round);
    }
    return figuresOf(all.slice(WARM_UP));
  },
};

function figuresOf(rounds: readonly Round[]): Figure[] {
  const ratioOf = (item: keyof Round, other: keyof Round) => median(rounds.map((round) => round[item] / round[other]));
  const against = (other: keyof Round, name: string, atMost: number, note: string): Figure => ({
    claim: 'POST /deployments/execute until success',
    value: median(rounds.map((round) => round.ours)),
    unit: 'ms',
    against: { name, value: median(rounds.map((round) => round[other])) },
    ratio: ratioOf('ours', other),
    promise: { atMost },
    note,
  });
  const floor = `docker with a new network, volume and limits is ${ratioOf('newNetwork', 'plain').toFixed(2)} of it`;
  return [
    against('newNetwork', 'ms docker network create, docker run -d', 1.1, 'same network, volume and limits'),
    against('same', 'ms docker run -d', 1.25, 'same volume and limits, in a network that exists'),
    against('plain', 'ms plain docker run -d', 1.3, floor),
  ];
}
