import type { JobKind } from '../../jobs/job.ts';
import { transition } from '../../state/transition.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { deploymentLifecycle, expiringWhile } from './lifecycle.ts';
import type { ManifestsOfDeployments, ServerStanding } from './needs.ts';
import { hasEnded, hold, type Wake, wakeNext } from './queue.ts';
import { type DeploymentRow, deploymentById, restartClocks } from './store.ts';

/** One job per deployment, from its claim on. */
export const DEADLINE = 'deployment.deadline';

/** Time for the next leader of a cluster to continue a deployment that the last one began. */
export const INTERRUPTED_MS = 60_000;

/** Polling interval while the server is disconnected. */
const AWAY_MS = 30_000;

export interface DeadlineDeps {
  readonly storage: Storage;
  readonly server: ServerStanding;
  readonly manifests: Pick<ManifestsOfDeployments, 'deadlineMs'>;
  readonly wake: Wake;
}

/** Fails deployments whose daemon is connected but reports no progress. */
export const deadlineJob = (deps: DeadlineDeps): JobKind => ({
  // Only the database is needed, so a failure is temporary; retry until the deployment has ended.
  maxAttempts: Number.POSITIVE_INFINITY,
  run: ({ job, complete }) => {
    const { deployment_id } = job.payload as { deployment_id: string };
    return deps.storage.write(async (tx) => {
      const again = await expire(deps, tx, deployment_id);
      return complete(tx, again === undefined ? 'done' : { again });
    });
  },
});

/** Returns when to check again; undefined once the deployment has ended. */
async function expire(deps: DeadlineDeps, tx: Tx, id: string): Promise<number | undefined> {
  const found = await deploymentById(tx, id);
  if (!found) return undefined;
  const { deployment } = await hold(tx, { accountId: found.account_id }, id);
  if (hasEnded(deployment)) return undefined;
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
