import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** The part of Vitest's JSON report that decides how the run went. */
export type VitestReport = {
  testResults: {
    name: string;
    status: string;
    message?: string;
    /** Milliseconds since 1970. */
    startTime?: number;
    endTime?: number;
    assertionResults: { fullName: string; status: string }[];
  }[];
};

export type Count = { passed: number; failed: number; notes: string[] };

/**
 * Counts the results of a run. Skipped tests and files that cannot be loaded count as failed and are listed. `exitCode` of
 * Vitest also covers errors outside any test.
 */
export function countVitest(report: VitestReport | undefined, exitCode: number): Count {
  if (report === undefined) return { passed: 0, failed: 1, notes: ['Vitest ended without a report'] };
  const count: Count = { passed: 0, failed: 0, notes: [] };
  for (const file of report.testResults) {
    for (const { fullName, status } of file.assertionResults) {
      if (status === 'passed') {
        count.passed++;
        continue;
      }
      count.failed++;
      if (status !== 'failed') count.notes.push(`not run (${status}): ${file.name}: ${fullName}`);
    }
    const accountedFor = file.assertionResults.some(({ status }) => status !== 'passed');
    if (file.status === 'failed' && !accountedFor) {
      count.failed++;
      count.notes.push(`failed as a whole: ${file.name}`);
    }
  }
  if (exitCode !== 0 && count.failed === 0) {
    count.failed = 1;
    count.notes.push(
      `Vitest ended with ${exitCode}, although no test failed: an error outside the tests, or no test found`,
    );
  }
  return count;
}

/** A finished test, or a file that failed as a whole, as scripts/result-log.ts records it. */
export interface LoggedResult {
  readonly file: string;
  readonly name: string;
  readonly state: string;
  readonly errors: readonly string[];
}

/** Counts what the tests of a log had finished when they were interrupted, with the messages of the failures. */
export function countInterrupted(log: string): Count {
  const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
  // The last line may have been cut.
  const results = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LoggedResult);
  const failed = results.filter(({ state }) => state === 'failed');
  return {
    passed: results.filter(({ state }) => state === 'passed').length,
    failed: failed.length,
    notes: failed.map(({ file, name, errors }) => [`failed: ${file}: ${name}`, ...errors].join('\n')),
  };
}

/** Names the files that took longest, one per line, so that the cost of a run shows where it was incurred. */
export function slowestFiles(report: VitestReport | undefined, root: string, count = 20): string[] {
  const files = (report?.testResults ?? []).map(({ name, startTime = 0, endTime = startTime }) => ({
    name: relative(root, name),
    seconds: (endTime - startTime) / 1000,
  }));
  const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
  const slowest = files.toSorted((file, other) => other.seconds - file.seconds).slice(0, count);
  return [
    `${Math.round(total)} s in ${files.length} files, of which:`,
    ...slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s ${name}`),
  ];
}
