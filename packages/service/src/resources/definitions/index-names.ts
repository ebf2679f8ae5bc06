import type { JobKind } from '../../jobs/job.ts';
import { inBatches } from '../../retention/batches.ts';
import { indexNames } from '../../storage/name-search.ts';
import type { Storage } from '../../storage/storage.ts';

export const INDEX_NAMES = 'definitions.index-names';

const EVERY_MS = 600_000;
const MAX_IN_BATCH = 500;

/** Leaves others nine tenths of the time: searches work without it, they only read more. */
const REST = 9;

/** Indexes the names of new definitions for searches. On PostgreSQL an index does that itself. */
export const indexNamesJob = (storage: Storage): JobKind => ({
  concurrency: 1,
  every: EVERY_MS,
  async run({ signal }) {
    await inBatches({ storage, max: MAX_IN_BATCH, rest: REST, signal }, indexNames);
    return 'done';
  },
});
