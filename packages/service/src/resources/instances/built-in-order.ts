import type { BuiltIn } from '@hortus/contract/actions/built-in-actions';
import type { InstanceRow } from './store.ts';

/** An order of a built-in action on an instance. */
export interface BuiltInOrder {
  readonly instance: InstanceRow;
  readonly slug: BuiltIn;
  /** Another server than that of the instance, for what is left of it there. */
  readonly serverId?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Parameters that only the daemon gets. */
  readonly secret?: Readonly<Record<string, string>>;
  readonly actor: string | null;
  /** Ends as `timeout` if it has not started by then; ten minutes if undefined. */
  readonly startWithinMs?: number;
}
