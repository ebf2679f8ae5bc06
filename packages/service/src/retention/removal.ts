import type { Tx } from '../storage/storage.ts';

/** Removes rows that are older than a time, oldest first, and returns their number. */
export type Removal = (tx: Tx, before: number, max: number) => Promise<number>;

export interface Rule {
  readonly name: string;
  /** Undefined keeps all rows. */
  readonly days: number | undefined;
  readonly remove: Removal;
}
