import type { Tx } from '../../storage/storage.ts';

/** What a change has done, once its transaction commits. */
export interface Outcome {
  readonly resourceId: string | null;
  readonly deploymentId?: string;
  /** The current revision before the change, to be restored if its deployment fails. */
  readonly fromRevision?: number;
}

/** Carries out a change inside a transaction. */
export type Step = (tx: Tx) => Promise<Outcome>;
