import type { DeploymentDetail, LogLine } from '@hortus/contract/resources/deployments';

export interface Step {
  readonly name: string;
  readonly state: 'done' | 'running' | 'failed';
  /** The last thing it said. */
  readonly said: string;
  readonly ms: number;
}

/**
 * The steps of a deployment, read off its log: a step begins with its first line and lasts until the next one begins.
 * Lines without a step belong to none.
 */
export function stepsOf(
  deployment: Pick<DeploymentDetail, 'status' | 'finished_at'>,
  logs: readonly LogLine[],
  now: number,
): Step[] {
  const begun = new Map<string, { from: number; said: string }>();
  for (const { step, at, message } of logs) {
    if (step === null) continue;
    const known = begun.get(step);
    if (known) known.said = message;
    else begun.set(step, { from: Date.parse(at), said: message });
  }
  const all = [...begun];
  return all.map(([name, { from, said }], index) => {
    const next = all[index + 1]?.[1].from;
    const end = next ?? (deployment.finished_at === null ? now : Date.parse(deployment.finished_at));
    return {
      name,
      state: next === undefined ? lastState(deployment.status) : 'done',
      said,
      ms: Math.max(0, end - from),
    };
  });
}

const lastState = (status: DeploymentDetail['status']): Step['state'] =>
  status === 'success' ? 'done' : status === 'failed' ? 'failed' : 'running';
