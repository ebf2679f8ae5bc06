import type { DeploymentDetail, LogLine } from '@hortus/contract/resources/deployment-records';

export interface Step {
  readonly name: string;
  readonly state: 'done' | 'running' | 'failed';
  /** Its latest message. */
  readonly said: string;
  readonly ms: number;
}

/** Name of the current step before its first message. */
const UNDER_WAY = 'under way';

/**
 * Derives the steps of a deployment from its log. The daemon writes a line when something is done, so a line accounts for the
 * time since the previous one. Lines without a step are ignored.
 */
export function stepsOf(
  deployment: Pick<DeploymentDetail, 'status' | 'started_at' | 'finished_at'>,
  logs: readonly LogLine[],
  now: number,
): Step[] {
  const { status, started_at } = deployment;
  const steps = new Map<string, { said: string; ms: number; failed: boolean }>();
  let last = started_at === null ? undefined : Date.parse(started_at);
  for (const { step, at, level, message } of logs) {
    const time = Date.parse(at);
    const ms = Math.max(0, time - (last ?? time));
    last = time;
    if (step === null) continue;
    const known = steps.get(step);
    steps.set(step, { said: message, ms: (known?.ms ?? 0) + ms, failed: known?.failed || level === 'error' });
  }
  const all = [...steps].map(([name, { said, ms, failed }]): Step => {
    return { name, state: failed ? 'failed' : 'done', said, ms };
  });
  if (status === 'running') {
    const ms = Math.max(0, now - (last ?? now));
    return [...all, { name: UNDER_WAY, state: 'running', said: '', ms }];
  }
  // A failure without a step belongs to the last reported step.
  const end = all.pop();
  if (end === undefined) return [];
  const blamed = status === 'failed' && !all.some(({ state }) => state === 'failed');
  return [...all, blamed ? { ...end, state: 'failed' } : end];
}
