import type { JobKind } from '../../jobs/job.ts';
import { rowJob } from '../../jobs/row-job.ts';
import { waker } from '../../jobs/wake.ts';
import { transition } from '../../state/transition.ts';
import type { Storage } from '../../storage/storage.ts';
import { confirmationLifecycle } from './lifecycle.ts';
import { lockConfirmationById } from './store.ts';

/** One job per confirmation, at its expiry. */
export const CONFIRMATION_EXPIRY = 'confirmation.expiry';

/** A call takes seconds; after this time its process must have died. */
const CARRIED_OUT_WITHIN_MS = 10 * 60_000;

export const scheduleExpiry = waker(CONFIRMATION_EXPIRY);

/** Expires what was not decided, and ends what a killed process has left without an outcome. */
export const expiryJob = (storage: Storage): JobKind =>
  rowJob({
    storage,
    lock: lockConfirmationById,
    async advance(tx, row) {
      if (row.status === 'pending') await transition(tx, confirmationLifecycle, row, 'expire', { actor: null });
      if (row.status !== 'confirmed') return undefined;
      const until = row.updated_at + CARRIED_OUT_WITHIN_MS;
      if (until > tx.now) return until;
      const error = 'The service was stopped while it carried this out; check whether it happened.';
      await transition(tx, confirmationLifecycle, row, 'fail', { actor: null, set: { error } });
      return undefined;
    },
  });
