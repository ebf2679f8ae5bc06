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
  const superseded = known.filter((one) => isOpen(one) && !isThis(one)).map(({ id }) => id);
  if (newest === undefined) return { superseded, found: false, available: false };
  const waiting = known.some((one) => isOpen(one) && isThis(one));
  // An upgrade being applied blocks others, and a failed one can be applied again.
  const underWay = known.some((one) => one.status === 'applying' || (one.status === 'failed' && isThis(one)));
  return { superseded, found: !waiting && !underWay, available: waiting || !underWay };
}
