import type { ContainerFacts } from '../engine/container-facts.ts';

export type Status = 'starting' | 'running' | 'restarting' | 'stopped' | 'failed';
export type Health = 'starting' | 'healthy' | 'unhealthy' | 'unknown';

/** Ended because it was told to: SIGTERM and SIGKILL, as exit codes. */
const toldToEnd = [0, 137, 143];

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

/** An engine that is to keep a container running leaves it ended only when it was asked to stop it. */
function endedWell({ error, outOfMemory, restartPolicy, exitCode }: ContainerFacts): boolean {
  if (error !== '' || outOfMemory) return false;
  return restartPolicy === 'always' || restartPolicy === 'unless-stopped' || toldToEnd.includes(exitCode);
}

/** Of several parts, the one that a person must know about. */
export function worstStatus(statuses: readonly Status[]): Status {
  const order: Status[] = ['failed', 'restarting', 'starting', 'stopped', 'running'];
  return order.find((status) => statuses.includes(status)) ?? 'stopped';
}

export function worstHealth(healths: readonly Health[]): Health {
  const order: Health[] = ['unhealthy', 'starting', 'healthy', 'unknown'];
  return order.find((health) => healths.includes(health)) ?? 'unknown';
}
