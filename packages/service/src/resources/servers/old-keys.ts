import { retireOldKey } from '../../identity/credentials.ts';
import type { JobKind } from '../../jobs/job.ts';
import type { Storage } from '../../storage/storage.ts';
import { rotationOf } from './store.ts';

export const OLD_KEY = 'servers.old_key';

/** How long a rotated key stays valid beside the new one. */
export const OLD_KEY_MS = 24 * 3_600_000;

/** Revokes the old key of a server whose daemon has not used the new one in time. */
export const oldKeyJob = (storage: Storage, clock = Date.now): JobKind => ({
  run: async ({ job }) => {
    const { server_id: id } = job.payload as { server_id: string };
    const rotation = await rotationOf(storage.reader, id);
    if (!rotation?.next_key_hash || rotation.old_key_until === null) return 'done';
    // A second rotation extended the time.
    if (rotation.old_key_until > clock()) return { again: rotation.old_key_until };
    await retireOldKey(storage, rotation.next_key_hash, id);
    return 'done';
  },
});
