import type { UpgradeRow } from './store.ts';

type Known = Pick<UpgradeRow, 'id' | 'status' | 'from_template_id' | 'to_template_id'>;

export interface Verdict {
  /** Upgrades that are none any more. */
  readonly superseded: readonly string[];
  /** There is one that is not known yet. */
  readonly found: boolean;
  /** One waits for a decision, be it known or new. */
  readonly available: boolean;
}

/** What a look at one instance changes: it runs one template, and another is the one to go to, or there is none. */
export function verdictOn(running: string, newest: string | undefined, known: readonly Known[]): Verdict {
  const isOpen = ({ status }: Known) => status === 'available' || status === 'acknowledged';
  const isThis = ({ from_template_id, to_template_id }: Known) =>
    from_template_id === running && to_template_id === newest;
  const superseded = known.filter((one) => isOpen(one) && !isThis(one)).map(({ id }) => id);
  if (newest === undefined) return { superseded, found: false, available: false };
  const waiting = known.some((one) => isOpen(one) && isThis(one));
  // What is being applied decides first, and what failed can be tried again as it is.
  const underWay = known.some((one) => one.status === 'applying' || (one.status === 'failed' && isThis(one)));
  return { superseded, found: !waiting && !underWay, available: waiting || !underWay };
}
