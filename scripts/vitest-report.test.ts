import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';
import { countInterrupted, countVitest, type LoggedResult, slowestFiles, type VitestReport } from './vitest-report.ts';

const file = (status: string, ...tests: string[]): VitestReport['testResults'][number] => ({
  name: 'a.test.ts',
  status,
  assertionResults: tests.map((result) => ({ fullName: `a ${result} test`, status: result })),
});

test('the report sums the tests of all files', () => {
  const report = { testResults: [file('passed', 'passed', 'passed'), file('failed', 'failed', 'passed')] };
  expect(countVitest(report, 1)).toEqual({ passed: 3, failed: 1, notes: [] });
});

test.each(['skipped', 'pending', 'todo', 'disabled'])('a test that is %s counts as failed and is named', (status) => {
  const count = countVitest({ testResults: [file('passed', 'passed', status)] }, 0);
  expect(count).toMatchObject({ passed: 1, failed: 1 });
  expect(count.notes.join()).toContain(`a.test.ts: a ${status} test`);
});

test('a file that does not load is one failure', () => {
  const count = countVitest({ testResults: [file('failed')] }, 1);
  expect(count).toEqual({ passed: 0, failed: 1, notes: ['failed as a whole: a.test.ts'] });
});

test('of an interrupted run the finished tests count, and failures keep their messages', async () => {
  await using folder = temporaryFolder();
  const log = join(folder.path, 'results');
  expect(countInterrupted(log)).toEqual({ passed: 0, failed: 0, notes: [] });
  const result = (state: string, ...errors: string[]) =>
    JSON.stringify({ file: 'a.test.ts', name: `a ${state} test`, state, errors } satisfies LoggedResult);
  writeFileSync(
    log,
    `${result('passed')}\n${result('failed', 'why')}\n${result('skipped')}\n${result('failed').slice(5)}`,
  );
  expect(countInterrupted(log)).toEqual({ passed: 1, failed: 1, notes: ['failed: a.test.ts: a failed test\nwhy'] });
});

test('an error outside the tests, or none found, is a failure', () => {
  expect(countVitest({ testResults: [file('passed', 'passed')] }, 1)).toMatchObject({ passed: 1, failed: 1 });
  expect(countVitest({ testResults: [] }, 1)).toMatchObject({ passed: 0, failed: 1 });
});

test('no report is a failure', () => {
  expect(countVitest(undefined, 0)).toMatchObject({ passed: 0, failed: 1 });
});

test('the slowest files are named with their time, longest first', () => {
  const timed = (name: string, endTime: number) => ({ ...file('passed', 'passed'), name, startTime: 1000, endTime });
  const testResults = [timed('/root/quick.test.ts', 1500), timed('/root/e2e/slow.test.ts', 4000), file('failed')];
  expect(slowestFiles({ testResults }, '/root', 2)).toEqual([
    '4 s in 3 files, of which:',
    '    3.0 s e2e/slow.test.ts',
    '    0.5 s quick.test.ts',
  ]);
});
