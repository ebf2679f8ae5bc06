import type { UpgradeRow } from './store.ts';

type Known = Pick<UpgradeRow, 'id' | 'status' | 'from_template_id' | 'to_template_id'>;

export interface Verdict {
  /** Upgrades that no longer apply. */
  readonly superseded: readonly string[];
  /** There is a new upgrade. */
  readonly found: boolean;
  /** An upgrade waits for a decision, known or new. */
  readonly available: boolean;
}

/** Decides what a scan changes for one instance, given its template and the newest one, if newer. */
export function verdictOn(running: string, newest: string | undefined, known: readonly Known[]): Verdict {
  const isOpen = ({ status }: Known) => status === 'available' || status === 'acknowledged';
  const isThis = ({ from_template_id, to_template_id }: Known) =>
    from_template_id === running && to_template_id === newest;
  const superseded = known.filter((known) => isOpen(known) && !isThis(known)).map(({ id }) => id);
  if (newest === undefined) return { superseded, found: false, available: false };
  const waiting = known.some((known) => isOpen(known) && isThis(known));
  // An upgrade being applied blocks others, and a failed one can be applied again.
  const underWay = known.some((known) => known.status === 'applying' || (known.status === 'failed' && isThis(known)));
  return { superseded, found: !waiting && !underWay, available: waiting || !underWay };
}
