import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Health, Status } from '../journal/rollout-result.ts';

/** Exit codes after a requested stop: success, SIGKILL and SIGTERM. */
const stopSignals = [0, 137, 143];

export function statusOf(facts: ContainerFacts): Status {
  switch (facts.state) {
    case 'running':
      return 'running';
    case 'restarting':
      return 'restarting';
    case 'created':
      return facts.error === '' ? 'starting' : 'failed';
    case 'paused':
    case 'removing':
      return 'stopped';
    case 'dead':
      return 'failed';
    case 'exited':
      return endedWell(facts) ? 'stopped' : 'failed';
  }
}

/**
 * Answers whether a container stopped on request. With a restart policy the engine leaves a container stopped only on
 * request.
 */
function endedWell({ error, outOfMemory, restartPolicy, exitCode }: ContainerFacts): boolean {
  if (error !== '' || outOfMemory) return false;
  return restartPolicy === 'always' || restartPolicy === 'unless-stopped' || stopSignals.includes(exitCode);
}

/** Returns the status that needs attention most. */
export function worstStatus(statuses: readonly Status[]): Status {
  const order: Status[] = ['failed', 'restarting', 'starting', 'stopped', 'running'];
  return order.find((status) => statuses.includes(status)) ?? 'stopped';
}

export function worstHealth(healths: readonly Health[]): Health {
  const order: Health[] = ['unhealthy', 'starting', 'healthy', 'unknown'];
  return order.find((health) => healths.includes(health)) ?? 'unknown';
}
