// npm test after the install: engines, checks, tests, count.
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { endAbandonedProcesses } from '@hortus/testkit/abandoned-processes';
import { startDocker } from '@hortus/testkit/docker';
import { startPostgres } from '@hortus/testkit/postgres';
import { endRun } from '@hortus/testkit/run-processes';
import { removeAbandonedFolders, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { bundlePrograms } from './bundle-programs.ts';
import { findChangedTests } from './changed-tests.ts';
import { runChecks } from './checks.ts';
import { bundleCli } from './cli/bundle.ts';
import { buildConsole } from './console.mjs';
import { installMissingPackages } from './debian-packages.ts';
import { commandRunner } from './run-command.ts';
import type { TestSize } from './test-files.ts';
import { type Count, countInterrupted, countVitest, slowestFiles, type VitestReport } from './vitest-report.ts';

const root = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
const flags = ['--all', '--long', '--late', '--changed'] as const;
const [all, long, late, changed] = flags.map((flag) => args.includes(flag));
/** Paths and options of Vitest; after `--changed` the commit to compare with. */
const words = args.filter((word) => !(flags as readonly string[]).includes(word));
const isWhole = words.length === 0 && !changed;

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort(signal));
const run = commandRunner(root, interruption.signal);

const total: Count = { passed: 0, failed: 0, notes: [] };
const phases: string[] = [];
try {
  const filters = changed ? changedTests(words[0] ?? 'HEAD') : words;
  await timed('packages', () => installMissingPackages(run));
  await runAll(filters);
} catch (error) {
  // What it started was killed below it, so its error says nothing.
  if (!interruption.signal.aborted) fail(error instanceof Error ? error.message : String(error));
}
if (interruption.signal.aborted) fail(`The run was interrupted by ${interruption.signal.reason}`);
for (const note of total.notes) console.log(note);
console.log(phases.join(', '));
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = exitCode();

/** Runs checks and tests. Everything that they start finds its temporary files below one folder, and is found by it. */
async function runAll(filters: readonly string[]) {
  endAbandonedProcesses();
  removeAbandonedFolders();
  delete process.env.HORTUS_TEST_MEMORY;
  await using folder = temporaryFolder('run');
  await using memory = temporaryFolder('run', { inMemory: true });
  process.env.TMPDIR = folder.path;
  process.env.HORTUS_TEST_MEMORY = memory.path;
  const { signal } = interruption;
  await using _ending = endingWith(signal, folder.path);
  // Skips the checks for selected files, because they cover the whole project.
  if (isWhole) {
    const { passed, failed } = await timed('checks', () => runChecks(run, signal));
    total.passed += passed;
    total.failed += failed;
  }
  if (!signal.aborted && (!changed || filters.length > 0)) await runVitest(folder.path, filters);
}

async function runVitest(folder: string, filters: readonly string[]) {
  const programs = join(folder, 'programs');
  await using engines = await timed('engines and bundles', () => startEngines(programs));
  const [report, log] = [join(folder, 'vitest.json'), join(folder, 'results')];
  const reporters = ['default', 'json', join(import.meta.dirname, 'result-log.ts')];
  const reporting = [...reporters.map((name) => `--reporter=${name}`), `--outputFile.json=${report}`];
  // A forgotten `.only` would skip the rest of its file.
  const argv = ['node_modules/.bin/vitest', 'run', ...reporting, '--allowOnly=false', ...filters];
  const env = {
    ...engines.env,
    HORTUS_TEST_PROGRAMS: programs,
    HORTUS_TEST_RESULTS: log,
    HORTUS_TEST_SIZE: testSize(),
    // Shares compiled code between hundreds of processes.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    ...(testSize() === 'quick' && { HORTUS_TEST_ENGINES: 'sqlite' }),
    ...(long && { HORTUS_TEST_LONG: '1' }),
    ...(late && { HORTUS_TEST_LATE: '1' }),
  };
  const code = await timed('tests', () => run(argv, { env }));
  const results = read(report);
  if (isWhole) for (const line of slowestFiles(results, root)) console.log(line);
  const wasCut = interruption.signal.aborted && results === undefined;
  const { passed, failed, notes } = wasCut ? countInterrupted(log) : countVitest(results, code);
  total.passed += passed;
  total.failed += failed;
  total.notes.push(...notes);
}

/** A file that is asked for by its name runs on both databases, however long it takes. */
function testSize(): TestSize {
  if (long) return 'long';
  if (!isWhole) return 'named';
  return all ? 'all' : 'quick';
}

function changedTests(since: string): readonly string[] {
  const { tests, unimported } = findChangedTests(root, since);
  for (const path of unimported) console.log(`imported by no test: ${path}`);
  if (tests.length === 0) console.log(`No test file imports what changed since ${since}`);
  return tests;
}

/** Ends every process below the run's folder once `signal` aborts; disposal waits for that. */
function endingWith(signal: AbortSignal, folder: string): AsyncDisposable {
  let ending: Promise<void> | undefined;
  signal.addEventListener('abort', () => {
    ending = endRun(folder).catch(({ message }: Error) => fail(message));
  });
  return { [Symbol.asyncDispose]: async () => await ending };
}

function exitCode(): number {
  const { aborted, reason } = interruption.signal;
  if (aborted) return 128 + constants.signals[reason as NodeJS.Signals];
  return total.failed === 0 ? 0 : 1;
}

async function startEngines(programs: string) {
  await using started = new AsyncDisposableStack();
  // The console before the tests: in a new clone several would build it at the same time.
  const bundling = Promise.all([bundlePrograms(programs), bundleCli(join(programs, 'cli')), buildConsole()]);
  // Checked below, once the engines are running; after an error it must not write into a removed folder.
  const bundled = Promise.allSettled([bundling]);
  started.defer(async () => void (await bundled));
  const postgres = started.use(await startPostgres());
  const docker = started.use(await startDocker());
  await bundling;
  interruption.signal.throwIfAborted();
  const running = started.move();
  return {
    env: { HORTUS_TEST_POSTGRES: postgres.url, HORTUS_TEST_DOCKER: docker.socketPath },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function timed<T>(phase: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    phases.push(`${phase} ${Math.round((performance.now() - started) / 1000)} s`);
  }
}

function read(report: string): VitestReport | undefined {
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
}

function fail(note: string) {
  total.failed++;
  total.notes.push(note);
}
