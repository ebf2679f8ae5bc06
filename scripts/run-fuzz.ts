// npm run fuzz: runs the fuzz tests of service and daemon with a given seed and duration.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '@hortus/testkit/postgres';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { installMissingPackages } from './debian-packages.ts';
import { commandRunner } from './run-command.ts';

const usage =
  'npm run fuzz -- [--seed 42] [--seconds 60]   (seconds of requests for each storage engine, and half of that each for long runs of one character and on bare sockets)';
const { seed, seconds } = readArguments();

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
const run = commandRunner(join(import.meta.dirname, '..'), interruption.signal);

await installMissingPackages(run);
console.log(
  `Seed ${seed}, ${seconds} seconds of requests on each engine, then half of that each for runs of one character and bare sockets.`,
);
await using folder = temporaryFolder('fuzz');
process.env.TMPDIR = folder.path;
await using postgres = await startPostgres();
const tests = [
  'packages/service/src/http/fuzz.test.ts',
  'packages/daemon/src/hostile-inputs.fuzz.test.ts',
  'packages/daemon/src/volumes/tar-agreement.test.ts',
];
process.exitCode = await run(['node_modules/.bin/vitest', 'run', ...tests], {
  env: {
    HORTUS_TEST_POSTGRES: postgres.url,
    // No test of this run needs Docker.
    HORTUS_TEST_DOCKER: 'none',
    HORTUS_FUZZ_SEED: String(seed),
    HORTUS_FUZZ_SECONDS: String(seconds),
  },
});

function readArguments(): { seed: number; seconds: number } {
  try {
    const { values } = parseArgs({ options: { seed: { type: 'string' }, seconds: { type: 'string' } } });
    return {
      seed: whole(values.seed ?? String(Math.floor(Math.random() * 1_000_000))),
      seconds: whole(values.seconds ?? '60'),
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`"${text}" is not a whole number.`);
  return Number(text);
}
