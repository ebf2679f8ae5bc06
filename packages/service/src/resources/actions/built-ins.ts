import type { InstanceRow } from '../instances/service.ts';

/** Actions that set the state of an instance. */
const settling = {
  'hortus.start': 'Start',
  'hortus.stop': 'Stop',
  'hortus.restart': 'Restart',
  'hortus.release': 'Release',
} as const;

/** Actions available on every instance, executed in the same way as the actions of its template. */
export const builtIns = {
  ...settling,
  'hortus.smoke': 'Smoke test',
  'hortus.backup': 'Back up',
  'hortus.restore': 'Restore',
  'hortus.return_data': 'Bring data back',
  'hortus.verify_backup': 'Verify backup',
  'hortus.delete_backup': 'Delete backup',
  'hortus.prune': 'Prune',
  // Runs on another server than that of the instance.
  'hortus.clear': 'Clear away',
  // Ordered before a release with volumes, for daemons that run one command per action.
  'hortus.remove': 'Remove containers',
} as const;

export type BuiltIn = keyof typeof builtIns;
export type Settling = keyof typeof settling;

export const isBuiltIn = (slug: string): slug is BuiltIn => Object.hasOwn(builtIns, slug);
export const isSettling = (slug: string): slug is Settling => Object.hasOwn(settling, slug);

/** Actions that a single Docker command carries out; they are sent to any daemon, whatever its capabilities. */
const dockerCommands = [
  'hortus.start',
  'hortus.stop',
  'hortus.restart',
  'hortus.remove',
  'hortus.release',
] as const satisfies readonly BuiltIn[];
export const isDockerCommand = (slug: string): slug is (typeof dockerCommands)[number] =>
  (dockerCommands as readonly string[]).includes(slug);

/** Actions that touch only backups; they do not block others on the instance. */
const apart: readonly string[] = ['hortus.verify_backup', 'hortus.delete_backup'];
export const isExclusive = (slug: string): boolean => isBuiltIn(slug) && !apart.includes(slug);

/** Actions whose duration depends on the amount of data. */
const lengthy: readonly string[] = ['hortus.backup', 'hortus.restore', 'hortus.return_data', 'hortus.verify_backup'];
const LENGTHY_TIMEOUT_MS = 24 * 3_600_000;
export const isAboutBackup = (slug: string): boolean => lengthy.includes(slug) || apart.includes(slug);

/** Stopping waits for each container to exit, and an instance may have several. */
const BUILT_IN_TIMEOUT_MS = 300_000;

export const timeoutOf = (slug: BuiltIn): number => (lengthy.includes(slug) ? LENGTHY_TIMEOUT_MS : BUILT_IN_TIMEOUT_MS);

export interface BuiltInOrder {
  readonly instance: InstanceRow;
  readonly slug: BuiltIn;
  /** Another server than that of the instance: the source or the target of a migration. */
  readonly serverId?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Params that only the daemon sees. */
  readonly secret?: Readonly<Record<string, string>>;
  readonly actor: string | null;
  /** Ends as `timeout` if it has not started by then; default ten minutes. */
  readonly startWithinMs?: number;
}

/** An action on a server, without an instance. */
export interface ServerOrder {
  readonly server: { readonly id: string; readonly account_id: string };
  readonly slug: 'hortus.prune';
  readonly params: Readonly<Record<string, unknown>>;
  readonly actor: string | null;
}
