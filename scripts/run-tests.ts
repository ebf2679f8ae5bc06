// npm test after the install: engines, checks, tests, count.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endAbandonedProcesses } from '@hortus/testkit/abandoned-processes';
import { startDocker } from '@hortus/testkit/docker';
import { startPostgres } from '@hortus/testkit/postgres';
import { removeAbandonedFolders, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { bundlePrograms } from './bundle-programs.ts';
import { runChecks } from './checks.ts';
import { bundleCli } from './cli/bundle.ts';
import { installMissingPackages } from './debian-packages.ts';
import { commandRunner } from './run-command.ts';
import { type Count, countVitest, type VitestReport } from './vitest-report.ts';

const root = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
const [long, late] = [args.includes('--long'), args.includes('--late')];
const filters = args.filter((argument) => argument !== '--long' && argument !== '--late');

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
const run = commandRunner(root, interruption.signal);

const total: Count = { passed: 0, failed: 0, notes: [] };
try {
  await installMissingPackages(run);
  // Skips the checks for selected files, because they cover the whole project.
  if (filters.length === 0) {
    const { passed, failed } = await runChecks(run);
    total.passed += passed;
    total.failed += failed;
  }
  await runVitest();
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
if (interruption.signal.aborted) fail('The run was interrupted');
for (const note of total.notes) console.log(note);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function runVitest() {
  endAbandonedProcesses();
  removeAbandonedFolders();
  // All temporary files of the run are in one folder, so that nothing stays behind.
  await using folder = temporaryFolder('run');
  process.env.TMPDIR = folder.path;
  const programs = join(folder.path, 'programs');
  const bundling = Promise.all([bundlePrograms(programs), bundleCli(join(programs, 'cli'))]);
  // Checked below, once the engines are running.
  bundling.catch(() => undefined);
  await using postgres = await startPostgres();
  await using docker = await startDocker();
  await bundling;
  const report = join(folder.path, 'vitest.json');
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  // A forgotten `.only` would skip the rest of its file.
  const code = await run(['node_modules/.bin/vitest', 'run', ...reporting, '--allowOnly=false', ...filters], {
    env: {
      HORTUS_TEST_POSTGRES: postgres.url,
      HORTUS_TEST_DOCKER: docker.socketPath,
      HORTUS_TEST_PROGRAMS: programs,
      // Shares compiled code between hundreds of processes.
      NODE_COMPILE_CACHE: join(folder.path, 'compiled'),
      ...(long && { HORTUS_TEST_LONG: '1' }),
      ...(late && { HORTUS_TEST_LATE: '1' }),
    },
  });
  const { passed, failed, notes } = countVitest(read(report), code);
  total.passed += passed;
  total.failed += failed;
  total.notes.push(...notes);
}

function read(report: string): VitestReport | undefined {
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
}

function fail(note: string) {
  total.failed++;
  total.notes.push(note);
}
