import { expect, test } from 'vitest';
import { countVitest, type VitestReport } from './vitest-report.ts';

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

test('an error outside the tests, or none found, is a failure', () => {
  expect(countVitest({ testResults: [file('passed', 'passed')] }, 1)).toMatchObject({ passed: 1, failed: 1 });
  expect(countVitest({ testResults: [] }, 1)).toMatchObject({ passed: 0, failed: 1 });
});

test('no report is a failure', () => {
  expect(countVitest(undefined, 0)).toMatchObject({ passed: 0, failed: 1 });
});
