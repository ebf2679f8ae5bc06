import type { DeploymentDetail, LogLine } from '@hortus/contract/resources/deployment-records';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { isFinal } from './outcome.ts';

export type FollowedDeployment = Omit<DeploymentDetail, 'logs' | 'logs_truncated'>;

export interface Followed {
  readonly deployment: FollowedDeployment | undefined;
  readonly lines: readonly LogLine[];
  readonly error: unknown;
}

const NOTHING: Followed = { deployment: undefined, lines: [], error: undefined };

/** Follows a deployment and its log by one stream, until it has ended. What arrives together is shown together. */
export function useFollowedDeployment(id: string): Followed {
  const [followed, setFollowed] = useState<Followed>(NOTHING);
  useEffect(() => {
    const leaving = new AbortController();
    setFollowed(NOTHING);
    follow(id, leaving.signal, (change) => setFollowed(change)).catch((error: unknown) => {
      if (!leaving.signal.aborted) setFollowed((before) => ({ ...before, error }));
    });
    return () => leaving.abort();
  }, [id]);
  return followed;
}

async function follow(
  id: string,
  signal: AbortSignal,
  show: (change: (before: Followed) => Followed) => void,
): Promise<void> {
  let lines: LogLine[] = [];
  let deployment: FollowedDeployment | undefined;
  let scheduled = 0;
  const flush = () => {
    cancelAnimationFrame(scheduled);
    scheduled = 0;
    const [arrived, state] = [lines, deployment];
    lines = [];
    if (signal.aborted) return;
    show((before) => ({
      deployment: state ?? before.deployment,
      lines: arrived.length === 0 ? before.lines : [...before.lines, ...arrived],
      error: undefined,
    }));
  };
  for await (const { event, data } of client.stream('deployments.read', { params: { id }, signal })) {
    if (event === 'line') lines.push(data as LogLine);
    else deployment = data as FollowedDeployment;
    if (deployment && isFinal(deployment.status)) {
      flush();
      return;
    }
    scheduled ||= requestAnimationFrame(flush);
  }
}
