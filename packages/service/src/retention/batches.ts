import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage, Tx } from '../storage/storage.ts';
import { BatchSize } from './batch-size.ts';

export interface Batches {
  readonly storage: Pick<Storage, 'write'>;
  /** Most rows of a batch. */
  readonly max: number;
  /** Pause after a batch, as a multiple of the time that it took. */
  readonly rest: number;
  readonly signal?: AbortSignal | undefined;
}

/** Works in short transactions until one has no rows left, and returns the number of rows. */
export async function inBatches(
  { storage, max, rest, signal }: Batches,
  work: (tx: Tx, rows: number) => Promise<number>,
): Promise<number> {
  const size = new BatchSize(max);
  let total = 0;
  while (!signal?.aborted) {
    let tookMs = 0;
    const rows = await storage.write(async (tx) => {
      const begun = performance.now();
      const done = await work(tx, size.rows);
      tookMs = performance.now() - begun;
      return done;
    });
    if (rows === 0) break;
    total += rows;
    size.adapt(tookMs);
    await sleep(rest * tookMs);
  }
  return total;
}
