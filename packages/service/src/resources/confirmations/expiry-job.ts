import { enqueue } from '../../jobs/enqueue.ts';
import type { JobKind } from '../../jobs/job.ts';
import { transition } from '../../state/transition.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { confirmationLifecycle } from './lifecycle.ts';
import { type ConfirmationRow, lockConfirmation } from './store.ts';

/** One job per confirmation, at its expiry. */
export const CONFIRMATION_EXPIRY = 'confirmation.expiry';

/** A call takes seconds; after this time its process must have died. */
const CARRIED_OUT_WITHIN_MS = 10 * 60_000;

export const scheduleExpiry = (tx: Tx, { id, account_id, expires_at }: ConfirmationRow): Promise<void> =>
  enqueue(tx, { kind: CONFIRMATION_EXPIRY, key: id, payload: { id, account_id }, runAt: expires_at });

/** Expires what was not decided, and ends what a killed process has left without an outcome. */
export const expiryJob = (storage: Storage): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  run: ({ job, complete }) => {
    const { id, account_id } = job.payload as { id: string; account_id: string };
    return storage.write(async (tx) => {
      const row = await lockConfirmation(tx, account_id, id);
      if (row?.status === 'pending') await transition(tx, confirmationLifecycle, row, 'expire', { actor: null });
      if (row?.status === 'confirmed') {
        const until = row.updated_at + CARRIED_OUT_WITHIN_MS;
        if (until > tx.now) return complete(tx, { again: until });
        const error = 'The service was stopped while it carried this out; check whether it happened.';
        await transition(tx, confirmationLifecycle, row, 'fail', { actor: null, set: { error } });
      }
      return complete(tx, 'done');
    });
  },
});
