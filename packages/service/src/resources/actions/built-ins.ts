import type { InstanceRow } from '../instances/service.ts';

/** What can be done on every instance, whatever its template says, on the same road as its own actions. */
export const builtIns = {
  'hortus.start': 'Start',
  'hortus.stop': 'Stop',
  'hortus.restart': 'Restart',
  'hortus.release': 'Release',
  'hortus.clear': 'Clear away',
} as const;

export type BuiltIn = keyof typeof builtIns;

export const isBuiltIn = (slug: string): slug is BuiltIn => Object.hasOwn(builtIns, slug);

/** Stopping waits for a container to end by itself, and an instance may have several. */
export const BUILT_IN_TIMEOUT_MS = 300_000;

export interface BuiltInOrder {
  readonly instance: InstanceRow;
  readonly slug: BuiltIn;
  /** Another than that of the instance: where it was, or has been on its way to. */
  readonly serverId?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly actor: string | null;
  /** Ends `timeout` if it has not begun by then; ten minutes unless said. */
  readonly startWithinMs?: number;
}
