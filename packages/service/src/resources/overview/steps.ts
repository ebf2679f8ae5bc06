import type { LogLine } from '@hortus/contract/resources/deployment-records';
import type { OverviewStep } from '@hortus/contract/resources/overview';
import { stepsOf } from '@hortus/contract/rollout-steps';
import { iso } from '../../records/time.ts';

/** Returns the steps of a running deployment so far: the finished ones, and the one it is at. */
export function stepsSoFar(lines: readonly LogLine[]): OverviewStep[] {
  const newest = lines.at(-1);
  if (!newest) return [];
  return stepsOf(lines, { status: 'running' }, Date.parse(newest.at))
    .filter(({ state }) => state !== 'waiting')
    .map(({ id, state, spans }) => ({
      step: id,
      started_at: iso(Math.min(...spans.map(([from]) => from))),
      finished_at: state === 'running' ? null : iso(Math.max(...spans.map(([, to]) => to))),
    }));
}
