import { standInFor } from '../../identity/principal.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import type { JobKind } from '../../jobs/job.ts';
import type { EventSubscriber } from '../../outbox/dispatcher.ts';
import { endedIn } from '../../outbox/ended.ts';
import { Problem } from '../../problem.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { APPLY, advance, refuse, type StepDeps } from './application.ts';
import type { ApplyAllPayload, UpgradeApplication } from './apply.ts';
import { findUpgrade, lockUpgradeById, upgradesRehearsedBy, upgradesWaitingFor } from './store.ts';

/** Runs one upgrade; each run is one transaction, so that a kill at any time loses only that run. */
export const applyJob = (storage: Storage, deps: StepDeps): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ job, complete }) => {
    const { upgrade_id: id } = job.payload as { upgrade_id: string };
    try {
      return await storage.write(async (tx) => {
        const row = await lockUpgradeById(tx, id);
        const { wait } = row?.status === 'applying' ? await advance(deps, tx, row) : { wait: undefined };
        return complete(tx, wait === undefined ? 'done' : { again: tx.now + wait });
      });
    } catch (error) {
      // A Problem, such as missing capacity or a taken route, is permanent: fail instead of retrying.
      if (!(error instanceof Problem)) throw error;
      return await storage.write(async (tx) => {
        const row = await lockUpgradeById(tx, id);
        if (row?.status === 'applying') await refuse(tx, row, error.message);
        return complete(tx);
      });
    }
  },
});

/** Wakes the upgrade that waits for a rehearsal. */
export async function wakeUpgradeAfter(tx: Tx, rehearsalId: string): Promise<void> {
  for (const { id } of await upgradesRehearsedBy(tx, rehearsalId))
    await enqueue(tx, { kind: APPLY, key: id, payload: { upgrade_id: id } });
}

/** Fallback poll; normally each upgrade that ends wakes the job. */
const LOOK_MS = 600_000;

/** Wakes the upgrades that wait for the deployments and executions that ended. */
export const wakeUpgrades: EventSubscriber = async (tx, events) => {
  const ended = await endedIn(tx, events);
  if (ended.length === 0) return;
  for (const { id } of await upgradesWaitingFor(tx, ended))
    await enqueue(tx, { kind: APPLY, key: id, payload: { upgrade_id: id } });
};

/** Applies several upgrades one after another. Their own states record the progress. */
export const applyAllJob = (storage: Storage, application: UpgradeApplication): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async ({ job, complete }) => {
    const batch = job.payload as ApplyAllPayload | null;
    // A single upgrade of a finished batch was applied again.
    if (batch === null) return 'done';
    const { account_id, actor, upgrade_ids, rehearse = false } = batch;
    const principal = standInFor(account_id, actor);
    for (const id of upgrade_ids) {
      const row = await findUpgrade(storage.reader, account_id, id);
      if (row?.status === 'applied') continue;
      if (row?.status === 'applying') return { again: Date.now() + LOOK_MS };
      // Failed or no longer an upgrade: stop the batch for the user to look at.
      if (row?.status !== 'available' && row?.status !== 'acknowledged') return 'done';
      try {
        const prepared = await application.prepare(principal, id);
        return await storage.write(async (tx) => {
          await application.apply(tx, principal, prepared, { rehearse });
          return complete(tx, { again: tx.now + LOOK_MS });
        });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return 'done';
      }
    }
    return 'done';
  },
});
