import Type, { type Static } from 'typebox';
import { choice } from '../records/fields.ts';
import { ReleaseSignature } from './release-signature.ts';

/**
 * States of an update on one server, as its daemon reports them. `done`, `returned` and `refused` are final: `refused` never
 * started the new binary, `returned` tried it and went back to the former one.
 */
const daemonUpdateStates = ['downloading', 'verified', 'trying', 'done', 'returned', 'refused'] as const;
export type DaemonUpdateState = (typeof daemonUpdateStates)[number];

export const finalUpdateStates = ['done', 'returned', 'refused'] as const satisfies readonly DaemonUpdateState[];

/** Causes of `refused` and `returned`. A newer daemon may send others. */
export const daemonUpdateReasons = [
  /** The daemon runs from source. */
  'from_source',
  /** The running binary was built without a release key. */
  'no_release_key',
  /** The release is signed with a key that the running binary does not know. */
  'unknown_key',
  'wrong_signature',
  'other_platform',
  'older_version',
  /** Older than min_daemon_version in the policy of the server. */
  'below_minimum',
  /** The binary reports another version than its release. */
  'other_version',
  'wrong_size',
  'wrong_checksum',
  /** A package manager owns the running binary. */
  'packaged',
  /** The folder of releases cannot be written to. */
  'read_only',
  'disk_full',
  'download_failed',
  /** The new binary cannot be executed on this server. */
  'not_executable',
  /** Another update of this daemon is under way. */
  'busy',
  /** The new binary did not prove itself healthy. */
  'unhealthy',
  /** The daemon was killed, or the server rebooted, before the new binary had proved itself. */
  'interrupted',
] as const;
export type DaemonUpdateReason = (typeof daemonUpdateReasons)[number];

const updateId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,100}$',
  description: 'Id of the update. A daemon carries out an id once, and answers repetitions with the current state.',
});

/** Fields of the order to update. */
export const updateOrder = {
  update_id: updateId,
  path: Type.String({
    maxLength: 200,
    pattern: '^/implant/[a-z0-9]+/[a-z0-9]+/download$',
    description: 'Path of the binary below the base path of the interface.',
  }),
  size: Type.Integer({ minimum: 1, maximum: 1_073_741_824, description: 'Bytes.' }),
  release: ReleaseSignature,
  allow_downgrade: Type.Optional(Type.Boolean({ description: 'Whether the release may be older than the daemon.' })),
  trial_seconds: Type.Optional(
    Type.Integer({ minimum: 5, maximum: 600, description: 'Time for the proof of health; 60 without it.' }),
  ),
};

/** Fields of a report on an update. */
export const updateReport = {
  update_id: updateId,
  state: choice(daemonUpdateStates),
  version: Type.String({ maxLength: 100, description: 'Version of the release that was ordered.' }),
  running: Type.String({ maxLength: 100, description: 'Version of the daemon that sends the report.' }),
  received: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes downloaded so far.' })),
  reason: Type.Optional(
    Type.String({
      maxLength: 64,
      examples: [...daemonUpdateReasons],
      description: 'Cause of `refused` or `returned`.',
    }),
  ),
  message: Type.Optional(Type.String({ maxLength: 1_000, description: 'The cause, for people.' })),
};

const UpdateOrder = Type.Object(updateOrder);
export type UpdateOrder = Static<typeof UpdateOrder>;
const UpdateReport = Type.Object(updateReport);
export type UpdateReport = Static<typeof UpdateReport>;
