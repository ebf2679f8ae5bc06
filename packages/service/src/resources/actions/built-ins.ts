import type { InstanceRow } from '../instances/service.ts';

/** Those that say what an instance is to be. */
const settling = {
  'hortus.start': 'Start',
  'hortus.stop': 'Stop',
  'hortus.restart': 'Restart',
  'hortus.release': 'Release',
} as const;

/** What can be done on every instance, whatever its template says, on the same road as its own actions. */
export const builtIns = {
  ...settling,
  'hortus.smoke': 'Smoke test',
  'hortus.backup': 'Back up',
  'hortus.restore': 'Restore',
  'hortus.return_data': 'Bring data back',
  'hortus.verify_backup': 'Verify backup',
  'hortus.delete_backup': 'Delete backup',
  'hortus.prune': 'Prune',
  // About another server than the one that the instance is on.
  'hortus.clear': 'Clear away',
  // Ordered before a release that removes volumes too, for a daemon that runs one command at a time.
  'hortus.remove': 'Remove containers',
} as const;

export type BuiltIn = keyof typeof builtIns;
export type Settling = keyof typeof settling;

export const isBuiltIn = (slug: string): slug is BuiltIn => Object.hasOwn(builtIns, slug);
export const isSettling = (slug: string): slug is Settling => Object.hasOwn(settling, slug);

/** Those that one command of Docker carries out: any daemon is sent them, whatever its capabilities. */
const dockerCommands = [
  'hortus.start',
  'hortus.stop',
  'hortus.restart',
  'hortus.remove',
  'hortus.release',
] as const satisfies readonly BuiltIn[];
export const isDockerCommand = (slug: string): slug is (typeof dockerCommands)[number] =>
  (dockerCommands as readonly string[]).includes(slug);

/** Those that touch only backups, so that nothing on the instance has to wait for them. */
const apart: readonly string[] = ['hortus.verify_backup', 'hortus.delete_backup'];
export const isExclusive = (slug: string): boolean => isBuiltIn(slug) && !apart.includes(slug);

/** Those that take as long as there is data. */
const lengthy: readonly string[] = ['hortus.backup', 'hortus.restore', 'hortus.return_data', 'hortus.verify_backup'];
const LENGTHY_TIMEOUT_MS = 24 * 3_600_000;
export const isAboutBackup = (slug: string): boolean => lengthy.includes(slug) || apart.includes(slug);

/** Stopping waits for a container to end by itself, and an instance may have several. */
const BUILT_IN_TIMEOUT_MS = 300_000;

export const timeoutOf = (slug: BuiltIn): number => (lengthy.includes(slug) ? LENGTHY_TIMEOUT_MS : BUILT_IN_TIMEOUT_MS);

export interface BuiltInOrder {
  readonly instance: InstanceRow;
  readonly slug: BuiltIn;
  /** Another than that of the instance: where it was, or has been on its way to. */
  readonly serverId?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Params that only the daemon gets to see. */
  readonly secret?: Readonly<Record<string, string>>;
  readonly actor: string | null;
  /** Ends `timeout` if it has not begun by then; ten minutes unless said. */
  readonly startWithinMs?: number;
}

/** What is done to a server and none of its instances. */
export interface ServerOrder {
  readonly server: { readonly id: string; readonly account_id: string };
  readonly slug: 'hortus.prune';
  readonly params: Readonly<Record<string, unknown>>;
  readonly actor: string | null;
}
