/** The part of Vitest's JSON report that decides how the run went. */
export type VitestReport = {
  testResults: {
    name: string;
    status: string;
    message?: string;
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
