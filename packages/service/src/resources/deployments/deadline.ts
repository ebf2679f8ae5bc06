import type { JobKind } from '../../jobs/job.ts';
import { type NextStep, rowJob } from '../../jobs/row-job.ts';
import { waker } from '../../jobs/wake.ts';
import { transition } from '../../state/transition.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { deploymentLifecycle, expiringWhile } from './lifecycle.ts';
import type { ManifestsOfDeployments, ReadServerState } from './needs.ts';
import { hasEnded, holdById, type Wake, wakeNext } from './queue.ts';
import { type DeploymentRow, restartClocks } from './store.ts';

/** One job per deployment, from its claim on. */
export const DEADLINE = 'deployment.deadline';

export const checkDeadline = waker(DEADLINE);

/** Time for the next leader of a cluster to continue a deployment that the last one began. */
export const INTERRUPTED_MS = 60_000;

/** Polling interval while the server is disconnected. */
const AWAY_MS = 30_000;

export interface DeadlineDeps {
  readonly storage: Storage;
  readonly server: ReadServerState;
  readonly manifests: Pick<ManifestsOfDeployments, 'deadlineMs'>;
  readonly wake: Wake;
}

/** Fails deployments whose daemon is connected but reports no progress. */
export const deadlineJob = (deps: DeadlineDeps): JobKind =>
  rowJob({
    storage: deps.storage,
    lock: holdById,
    isOver: hasEnded,
    advance: (tx, row) => expire(deps, tx, row),
  });

async function expire(deps: DeadlineDeps, tx: Tx, deployment: DeploymentRow): Promise<NextStep> {
  const { account_id, server_id, definition_id, revision } = deployment;
  if (deployment.interrupted_at !== null) {
    const until = deployment.interrupted_at + INTERRUPTED_MS;
    return until > tx.now ? until : await end(deps, tx, deployment, 'outcome_unknown');
  }
  const server = await deps.server(tx, account_id, server_id);
  if (!server) return await end(deps, tx, deployment, 'server_removed');
  if (!server.connected) {
    // Time offline does not count: the deadline restarts when the server reconnects.
    await restartClocks(tx, server_id);
    return tx.now + AWAY_MS;
  }
  const deadline = await deps.manifests.deadlineMs(tx, definition_id, revision);
  const dueAt = (deployment.progress_at ?? tx.now) + deadline;
  return dueAt > tx.now ? dueAt : await end(deps, tx, deployment, 'deadline');
}

const errors = {
  deadline: 'The daemon reported no progress within the deadline.',
  outcome_unknown: 'The member that carried it out no longer leads the cluster; whether it finished is unknown.',
  server_removed: 'The server of this deployment has been removed.',
};

async function end(deps: DeadlineDeps, tx: Tx, row: DeploymentRow, reason: keyof typeof errors): Promise<undefined> {
  const set = { reason, error: errors[reason], finished_at: tx.now };
  const ended =
    reason === 'deadline'
      ? await transition(tx, expiringWhile(true), row, 'expire', { actor: null, set })
      : reason === 'outcome_unknown'
        ? await transition(tx, deploymentLifecycle, row, 'fail', { actor: null, set })
        : await transition(tx, deploymentLifecycle, row, 'cancel', { actor: null, set });
  await wakeNext(tx, deps.wake, ended);
}
