import { standInFor } from '../../identity/principal.ts';
import type { JobKind } from '../../jobs/job.ts';
import { POLL_MS, rowJob } from '../../jobs/row-job.ts';
import { wakeAfterWork } from '../../jobs/wake.ts';
import { Problem } from '../../problem.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { APPLY, advance, refuse, type StepDeps, wakeUpgrade } from './application.ts';
import type { ApplyAllPayload, UpgradeApplication } from './apply.ts';
import { findUpgrade, lockUpgradeById, upgradesRehearsedBy, upgradesWaitingFor } from './store.ts';

/** Applies one upgrade. */
export const applyJob = (storage: Storage, deps: StepDeps): JobKind =>
  rowJob({
    storage,
    lock: lockUpgradeById,
    isOver: ({ status }) => status !== 'applying',
    advance: async (tx, row) => (await advance(deps, tx, row)).next,
    fail: async (tx, row, { message }) => (await refuse(tx, row, message)).next,
  });

/** Wakes the upgrade that waits for a rehearsal. */
export async function wakeUpgradeAfter(tx: Tx, rehearsalId: string): Promise<void> {
  for (const { id } of await upgradesRehearsedBy(tx, rehearsalId)) await wakeUpgrade(tx, id);
}

export const wakeUpgrades = wakeAfterWork(APPLY, upgradesWaitingFor);

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
      if (row?.status === 'applying') return { again: Date.now() + POLL_MS };
      // Failed or no longer an upgrade: stop the batch for the user to look at.
      if (row?.status !== 'available' && row?.status !== 'acknowledged') return 'done';
      try {
        const prepared = await application.prepare(principal, id);
        return await storage.write(async (tx) => {
          await application.apply(tx, principal, prepared, { rehearse });
          return complete(tx, { again: tx.now + POLL_MS });
        });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return 'done';
      }
    }
    return 'done';
  },
});
