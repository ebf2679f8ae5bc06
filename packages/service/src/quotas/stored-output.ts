import type { Tx } from '../storage/storage.ts';
import type { Quotas } from './quotas.ts';
import { addBytes, planOf } from './store.ts';

/** Records bytes of output or logs that will be stored, and deletes the oldest if the quota is exceeded. */
export type MakeRoom = (tx: Tx, accountId: string, bytes: number) => Promise<void>;

/** Fill level after a deletion, so that not every later output deletes something. */
const DROP_TO = 0.9;
/** Maximum number of rows that one transaction deletes of each kind; the rest is deleted with the next output. */
const MAX_OUTPUTS = 1_000;
const MAX_LOGS = 5;

/** Deletes the oldest of one kind until enough bytes are free, or `max` rows; returns the number of freed bytes. */
export type DropOldest = (tx: Tx, accountId: string, bytes: number, max: number) => Promise<number>;

/** Limits the stored outputs and logs of accounts. Records stay; only their texts are deleted, oldest first. */
export const makeRoom =
  (quotas: Pick<Quotas, 'limitOf'>, drop: { outputs: DropOldest; logs: DropOldest }): MakeRoom =>
  async (tx, accountId, bytes) => {
    if (bytes === 0) return;
    const total = await addBytes(tx, accountId, bytes);
    const limit = quotas.limitOf(await planOf(tx, accountId), 'output_bytes');
    if (total <= limit) return;
    const excess = total - Math.floor(limit * DROP_TO);
    let freed = await drop.outputs(tx, accountId, excess, MAX_OUTPUTS);
    if (freed < excess) freed += await drop.logs(tx, accountId, excess - freed, MAX_LOGS);
    if (freed > 0) await addBytes(tx, accountId, -freed);
  };

/** Records that bytes of these accounts were freed. Sorted by account, because all transactions lock in that order. */
export async function giveBack(tx: Tx, freed: readonly (readonly [accountId: string, bytes: number])[]): Promise<void> {
  const totals = new Map<string, number>();
  for (const [accountId, bytes] of freed) totals.set(accountId, (totals.get(accountId) ?? 0) + bytes);
  for (const [accountId, bytes] of [...totals].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (bytes > 0) await addBytes(tx, accountId, -bytes);
}

/** Returns the first rows that together have at least so many bytes. */
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
