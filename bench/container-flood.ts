import { type Bench, type Figure, median } from './claim.ts';
import { actionTimes, cpuSeconds, deployed } from './logs.ts';
import { pause, startServiceWithEngine } from './service-with-engine.ts';

/** Uses up what a container may print at once. */
const BURST_MS = 20_000;
const WATCHED_MS = 15_000;
/** Percent of a core that the output of one container may cost, whatever it prints. */
const MAX_PERCENT = 15;

/** Measures what a container that floods its log costs the daemon, and an action of another instance beside it. */
export const containerFlood: Bench = { name: 'container-flood', run };

async function run(): Promise<Figure[]> {
  // The flood itself needs the processor as well, so that it runs in both cases.
  const without = await measureBesideFlood(['--logs-size', '0']);
  const collecting = await measureBesideFlood([]);
  return [
    {
      claim: 'the daemon beside a container that floods its log',
      value: collecting.percent,
      unit: '% of a core',
      against: { name: '% allowed', value: MAX_PERCENT },
      ratio: collecting.percent / MAX_PERCENT,
      promise: { atMost: 1 },
      note: `${without.percent.toFixed(1)} % without collecting`,
    },
    {
      claim: 'an action of another instance beside a container that floods its log',
      value: collecting.actionMs,
      unit: 'ms',
      against: { name: 'ms if the log is not collected', value: without.actionMs },
      ratio: collecting.actionMs / without.actionMs,
      promise: { atMost: 1.5 },
    },
  ];
}

async function measureBesideFlood(options: readonly string[]): Promise<{ percent: number; actionMs: number }> {
  await using system = await startServiceWithEngine({ options });
  const acting = await deployed(system, 'seed');
  await deployed(system, 'flood');
  await pause(BURST_MS);
  const before = cpuSeconds(system.daemon.pid);
  await pause(WATCHED_MS);
  const percent = ((cpuSeconds(system.daemon.pid) - before) / WATCHED_MS) * 100_000;
  return { percent, actionMs: median(await actionTimes(system, acting)) };
}
