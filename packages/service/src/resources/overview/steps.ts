import type { LogLine } from '@hortus/contract/resources/deployment-records';
import type { OverviewStep } from '@hortus/contract/resources/overview';

/** Returns the steps of a log: a step lasts from its first line to the first line of the next one. */
export function stepsOf(lines: readonly Pick<LogLine, 'at' | 'step'>[]): OverviewStep[] {
  const steps: OverviewStep[] = [];
  for (const { at, step } of lines) {
    const last = steps.at(-1);
    if (step === null || last?.step === step) continue;
    if (last) last.finished_at = at;
    steps.push({ step, started_at: at, finished_at: null });
  }
  return steps;
}
