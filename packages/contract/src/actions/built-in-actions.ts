import Type, { type Static, type TObject } from 'typebox';

/** An action that every instance or server has, whatever its template declares. */
interface BuiltInAction {
  readonly name: string;
  /** What the daemon needs; the service may send more. */
  readonly params: TObject;
  readonly timeoutMs: number;
  /** Whether it waits for every other action of the instance; one that leaves its containers and volumes alone does not. */
  readonly exclusive: boolean;
  /** Whether it decides the state that the instance is to have. */
  readonly settles?: true;
  /** Whether one Docker command carries it out, so that a daemon without the capability `builtin` can run it. */
  readonly dockerCommand?: true;
  /** Whether its result concerns a backup. */
  readonly backup?: true;
}

/** Stopping waits for the containers to end by themselves, and an instance may have several. */
const SHORT_MS = 300_000;
/** Copying takes as long as there is data. */
const LONG_MS = 24 * 3_600_000;

const none = Type.Object({});
const text = Type.String({ minLength: 1 });
const backup = Type.Object({ backup_id: text });
/** Decides over the manifest, which may have been deployed by an older service. */
const into = { restore_into: Type.Optional(Type.Enum(['empty', 'running'])) };
const restored = Type.Object({ backup_id: text, manifest_sha256: text, safety_backup_id: text, ...into });

/** Slugs by name: a misspelt name does not compile, a misspelt string would. */
export const builtIn = {
  start: 'hortus.start',
  stop: 'hortus.stop',
  restart: 'hortus.restart',
  release: 'hortus.release',
  remove: 'hortus.remove',
  clear: 'hortus.clear',
  smoke: 'hortus.smoke',
  backup: 'hortus.backup',
  restore: 'hortus.restore',
  restoreElsewhere: 'hortus.restore_elsewhere',
  returnData: 'hortus.return_data',
  copyData: 'hortus.copy_data',
  verifyBackup: 'hortus.verify_backup',
  deleteBackup: 'hortus.delete_backup',
  prune: 'hortus.prune',
  node: 'hortus.node',
} as const;

export const builtInActions = {
  [builtIn.start]: {
    name: 'Start',
    params: none,
    timeoutMs: SHORT_MS,
    exclusive: true,
    settles: true,
    dockerCommand: true,
  },
  [builtIn.stop]: {
    name: 'Stop',
    params: none,
    timeoutMs: SHORT_MS,
    exclusive: true,
    settles: true,
    dockerCommand: true,
  },
  [builtIn.restart]: {
    name: 'Restart',
    params: none,
    timeoutMs: SHORT_MS,
    exclusive: true,
    settles: true,
    dockerCommand: true,
  },
  [builtIn.release]: {
    name: 'Release',
    params: Type.Object({
      remove_volumes: Type.Optional(Type.Boolean()),
      confirm: Type.Optional(Type.Array(Type.String())),
    }),
    timeoutMs: SHORT_MS,
    exclusive: true,
    settles: true,
    dockerCommand: true,
  },
  // For daemons that run one Docker command at a time: ordered before a release that removes volumes, and instead of a clean-up.
  [builtIn.remove]: {
    name: 'Remove containers',
    params: Type.Object({ containers: Type.Optional(Type.Array(Type.String())) }),
    timeoutMs: SHORT_MS,
    exclusive: true,
    dockerCommand: true,
  },
  // Removes what is left on a server that the instance is not on.
  [builtIn.clear]: { name: 'Clean up', params: none, timeoutMs: SHORT_MS, exclusive: true },
  [builtIn.smoke]: { name: 'Smoke test', params: none, timeoutMs: SHORT_MS, exclusive: true },
  [builtIn.backup]: {
    name: 'Back up',
    params: Type.Object({ backup_id: text, extent: Type.Optional(Type.Literal('volumes')) }),
    timeoutMs: LONG_MS,
    exclusive: true,
    backup: true,
  },
  [builtIn.restore]: { name: 'Restore', params: restored, timeoutMs: LONG_MS, exclusive: true, backup: true },
  // For an instance whose node is lost, so there is no data of which a safety backup could be made.
  [builtIn.restoreElsewhere]: {
    name: 'Restore on another node',
    params: Type.Object({ backup_id: text, manifest_sha256: text, lost_node: text, ...into }),
    timeoutMs: LONG_MS,
    exclusive: true,
    backup: true,
  },
  [builtIn.returnData]: {
    name: 'Restore data',
    params: Type.Object({
      ...restored.properties,
      deployment_id: text,
      revision: Type.Integer({ minimum: 1 }),
      resume: Type.Optional(Type.Boolean()),
    }),
    timeoutMs: LONG_MS,
    exclusive: true,
    backup: true,
  },
  // Fills a copy of the instance, whose deployment waits for it; the instance itself is not touched.
  [builtIn.copyData]: {
    name: 'Copy data',
    params: Type.Object({
      backup_id: text,
      manifest_sha256: text,
      definition_id: text,
      deployment_id: text,
      revision: Type.Integer({ minimum: 1 }),
    }),
    timeoutMs: LONG_MS,
    exclusive: false,
    backup: true,
  },
  [builtIn.verifyBackup]: {
    name: 'Verify backup',
    params: Type.Object({ backup_id: text, manifest_sha256: text, ...into }),
    timeoutMs: LONG_MS,
    exclusive: false,
    backup: true,
  },
  [builtIn.deleteBackup]: {
    name: 'Delete backup',
    params: Type.Object({ ...backup.properties, instance_uid: Type.Optional(text) }),
    timeoutMs: SHORT_MS,
    exclusive: false,
    backup: true,
  },
  // Concerns a server and none of its instances.
  [builtIn.prune]: {
    name: 'Prune',
    params: Type.Object({
      living: Type.Array(Type.String()),
      dry_run: Type.Optional(Type.Boolean()),
      volumes: Type.Optional(Type.Array(Type.String())),
    }),
    timeoutMs: SHORT_MS,
    exclusive: true,
  },
  // Concerns a node of a cluster.
  [builtIn.node]: {
    name: 'Change node',
    params: Type.Object({ node_id: text, availability: Type.Enum(['active', 'drain']) }),
    timeoutMs: SHORT_MS,
    exclusive: true,
  },
} as const satisfies Record<string, BuiltInAction>;

type Table = typeof builtInActions;
type Having<Flag extends keyof BuiltInAction> = {
  [Slug in BuiltIn]: Table[Slug] extends Readonly<Record<Flag, true>> ? Slug : never;
}[BuiltIn];

export type BuiltIn = keyof Table;
export type BuiltInParams<Slug extends BuiltIn> = Static<Table[Slug]['params']>;
/** Those that decide the state of an instance. */
export type Settling = Having<'settles'>;
/** Those that one Docker command carries out. */
export type DockerCommand = Having<'dockerCommand'>;

const rowOf = (slug: string): BuiltInAction | undefined =>
  Object.hasOwn(builtInActions, slug) ? builtInActions[slug as BuiltIn] : undefined;

export const isBuiltIn = (slug: string): slug is BuiltIn => rowOf(slug) !== undefined;
export const isSettling = (slug: string): slug is Settling => rowOf(slug)?.settles === true;
export const isDockerCommand = (slug: string): slug is DockerCommand => rowOf(slug)?.dockerCommand === true;
export const isExclusive = (slug: string): boolean => rowOf(slug)?.exclusive === true;
export const isAboutBackup = (slug: string): boolean => rowOf(slug)?.backup === true;
