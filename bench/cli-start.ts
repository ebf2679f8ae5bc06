import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { bundleCli } from '../scripts/cli/bundle.ts';
import { type Bench, type Figure, median } from './claim.ts';

/** What the client may need beyond one and a half times the start of Node. */
const ALLOWED_MS = 60;

/** Measures `hortus --help` against `node -e 0`: on the first call after an install, later, and on a busy machine. */
export const cliStart: Bench = {
  name: 'cli-start',
  async run(repetitions) {
    await using folder = temporaryFolder('cli-start');
    const first: Pair[] = [];
    for (let copy = 0; copy < 3 * repetitions; copy++) {
      const dir = join(folder.path, String(copy));
      await bundleCli(dir);
      first.push(timed(dir));
    }
    const dir = join(folder.path, '0');
    const later = Array.from({ length: 7 * repetitions }, () => timed(dir));
    const load = cpus().map(() => new Worker('for (;;);', { eval: true }));
    const busy = Array.from({ length: 5 * repetitions }, () => timed(dir));
    await Promise.all(load.map((worker) => worker.terminate()));
    return [
      figure('hortus --help, first call after an install', first),
      figure('hortus --help, later', later),
      figure('hortus --help, all cores busy', busy),
    ];
  },
};

interface Pair {
  readonly node: number;
  readonly help: number;
}

/** Alternates the two programs, so that both meet the same load. */
const timed = (dir: string): Pair => ({ node: msOf('-e', '0'), help: msOf(join(dir, 'main.mjs'), '--help') });

function msOf(...argv: string[]): number {
  const begun = performance.now();
  const { status } = spawnSync(process.execPath, argv, { stdio: 'ignore', env: { PATH: process.env.PATH } });
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
  return performance.now() - begun;
}

function figure(claim: string, pairs: readonly Pair[]): Figure {
  const value = median(pairs.map(({ help }) => help));
  const limit = 1.5 * median(pairs.map(({ node }) => node)) + ALLOWED_MS;
  return {
    claim,
    value,
    unit: 'ms',
    against: { name: `ms (1.5 × node -e 0 + ${ALLOWED_MS})`, value: limit },
    ratio: value / limit,
    promise: { atMost: 1 },
  };
}
