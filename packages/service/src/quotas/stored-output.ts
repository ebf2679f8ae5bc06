import type { Tx } from '../storage/storage.ts';
import type { Quotas } from './quotas.ts';
import { addBytes, planOf } from './store.ts';

/** Writes down that so many bytes of output or logs are about to be kept, and drops the oldest where they would be too many. */
export type MakeRoom = (tx: Tx, accountId: string, bytes: number) => Promise<void>;

/** How much of the limit is left after something was dropped, so that not every later output drops something. */
const DROP_TO = 0.9;
/** Rows that one transaction drops at most of each kind; what is still too much goes with the next output. */
const MOST_OUTPUTS = 1_000;
const MOST_LOGS = 5;

/** Drops the oldest of one kind until so many bytes are free, or `most` rows; answers how many bytes that were. */
export type DropOldest = (tx: Tx, accountId: string, bytes: number, most: number) => Promise<number>;

/** Bounds what accounts keep of outputs and logs. Records stay; only what was written goes, the oldest first. */
export const makeRoom =
  (quotas: Pick<Quotas, 'limitOf'>, drop: { outputs: DropOldest; logs: DropOldest }): MakeRoom =>
  async (tx, accountId, bytes) => {
    if (bytes === 0) return;
    const total = await addBytes(tx, accountId, bytes);
    const limit = quotas.limitOf(await planOf(tx, accountId), 'output_bytes');
    if (total <= limit) return;
    const excess = total - Math.floor(limit * DROP_TO);
    let freed = await drop.outputs(tx, accountId, excess, MOST_OUTPUTS);
    if (freed < excess) freed += await drop.logs(tx, accountId, excess - freed, MOST_LOGS);
    if (freed > 0) await addBytes(tx, accountId, -freed);
  };

/** Writes down that so many bytes of these accounts are kept no more. In the order of the accounts, as all lock them. */
export async function giveBack(tx: Tx, freed: readonly (readonly [accountId: string, bytes: number])[]): Promise<void> {
  const totals = new Map<string, number>();
  for (const [accountId, bytes] of freed) totals.set(accountId, (totals.get(accountId) ?? 0) + bytes);
  for (const [accountId, bytes] of [...totals].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (bytes > 0) await addBytes(tx, accountId, -bytes);
}

/** The first of these that have so many bytes together. */
export function oldestUpTo(bytes: number, rows: readonly (readonly [id: string, bytes: number])[]) {
  const ids: string[] = [];
  let freed = 0;
  for (const [id, size] of rows) {
    if (freed >= bytes) break;
    ids.push(id);
    freed += size;
  }
  return { ids, freed };
}
