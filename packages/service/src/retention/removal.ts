import type { Tx } from '../storage/storage.ts';

/** Removes some of what is older than a time, the oldest first, and answers how many rows that were. */
export type Removal = (tx: Tx, before: number, most: number) => Promise<number>;

export interface Rule {
  readonly name: string;
  /** Undefined keeps all of it. */
  readonly days: number | undefined;
  readonly remove: Removal;
}

export const count = async (rows: Promise<readonly unknown[]>): Promise<number> => (await rows).length;
