import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from '@hortus/testkit/process';
import { processesOfRun } from '@hortus/testkit/run-processes';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';

const config = join(import.meta.dirname, 'testing/unending/vitest.config.ts');
const inMemory = () => readdirSync('/dev/shm').filter((name) => name.startsWith('hortus-'));

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s to npm test ends every process of the run and prints the failures until then', async (signal, code) => {
  await using folder = temporaryFolder();
  const own = join(import.meta.dirname, 'test.mjs');
  await using run = startProcess([process.execPath, own, '--config', config], { env: { TMPDIR: folder.path } });
  await run.waitForLine('ended.ts');
  const engine = (await run.waitForLine('unending: ')).split(' ').at(-1) ?? '';
  expect(existsSync(engine)).toBe(true);
  const [runFolder = ''] = readdirSync(folder.path).filter((name) => name.includes('-run-'));
  const of = `hortus-${/^hortus-(\d+)-/.exec(runFolder)?.[1]}-`;
  expect(processesOfRun(join(folder.path, runFolder)).length).toBeGreaterThan(5);
  expect(inMemory().filter((name) => name.startsWith(of))).toHaveLength(1);

  expect(await run.kill(signal)).toEqual({ code, signal: null });
  expect(processesOfRun(join(folder.path, runFolder))).toEqual([]);
  expect(readdirSync(folder.path)).toEqual([]);
  expect(inMemory().filter((name) => name.startsWith(of))).toEqual([]);
  expect(existsSync(engine)).toBe(false);
  expect(run.stdout).toContain('ended.ts: a test that fails');
  expect(run.stdout).toContain('the message of the failure');
  const lines = run.stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toBe('1 passed, 2 failed');
  expect(lines.filter((line) => line.includes('interrupted'))).toEqual([`The run was interrupted by ${signal}`]);
});
