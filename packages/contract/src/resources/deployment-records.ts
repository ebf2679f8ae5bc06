import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { deploymentMachine } from '../machines/deployment.ts';
import { choice, id, nullable } from '../records/fields.ts';

const deploymentKinds = ['deploy', 'renew', 'rollback', 'heal', 'test', 'migrate'] as const;
const preparations = ['backup', 'restore', 'release'] as const;
export const logLevels = ['info', 'warn', 'error'] as const;

export const DeployedImage = Type.Object(
  {
    component: Type.String({ maxLength: 63 }),
    image: Type.String({ maxLength: 1024, description: 'Reference in the template.' }),
    digest: nullable(Type.String({ pattern: '^sha256:[0-9a-f]{64}$', maxLength: 71 }), {
      description: 'Digest of the image. Null for images that exist only locally.',
    }),
    substitute: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'Local image that ran instead, because the settings of the daemon say so; missing for most.',
      }),
    ),
  },
  { title: 'DeployedImage' },
);
export type DeployedImage = Static<typeof DeployedImage>;

export const Deployment = Type.Object(
  {
    id: id('deployment'),
    definition_id: id('definition'),
    server_id: id('server'),
    instance_id: nullable(id('instance'), {
      description: 'The deployed instance; null until a daemon has claimed the deployment.',
    }),
    status: choice(deploymentMachine.states),
    kind: choice(deploymentKinds, {
      description:
        'renew: pulls every image again and replaces containers with outdated images. heal: automatic repair of drift. test: deploy test of a template, removed afterwards.',
    }),
    rollback_of: nullable(id('deployment'), { description: 'The deployment that this one undoes.' }),
    revision: Type.Integer({ minimum: 1, description: 'Pinned when the deployment was ordered.' }),
    template_id: id('template'),
    spec_hash: Type.String(),
    reason: nullable(Type.String(), {
      description: 'Why it failed, in one word; for an automatic rollback, why the daemon rolled back.',
      examples: ['unhealthy', 'deadline', 'cancelled', 'refused', 'backup', 'restore'],
    }),
    error: nullable(Type.String(), { description: 'Why it failed, for people.' }),
    gap_ms: nullable(Type.Integer({ minimum: 0 }), {
      description: 'Downtime of the instance; null if no running container was replaced.',
    }),
    images: Type.Array(DeployedImage, {
      description: 'Image of each component. A rollback uses the same digests, even if the tags have moved.',
    }),
    preparation: nullable(
      Type.Object({
        kind: choice(preparations),
        execution_id: nullable(id('execution')),
        done: Type.Boolean(),
      }),
      {
        description:
          'Work that must finish before a daemon may claim the deployment: a backup, a restore, or the release of an archived definition that has its address.',
      },
    ),
    backup_id: nullable(id('backup'), {
      description: 'The backup made before it; for a rollback with data, the backup to restore.',
    }),
    log_dropped: Type.Boolean({
      description:
        'Whether the log or its older lines were deleted because of their age or the output quota of the account.',
    }),
    interrupted: Type.Optional(
      Type.Boolean({
        description:
          'True while it is running on a cluster whose leader was replaced: the next leader has a minute to continue it with a claim of its own, or to report how it ended; then it fails with the reason outcome_unknown.',
      }),
    ),
    cancelling: Type.Boolean({ description: 'Cancellation was requested; the daemon has not confirmed it yet.' }),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
  },
  { title: 'Deployment' },
);
export type Deployment = Static<typeof Deployment>;

export const LogLine = Type.Object(
  {
    number: Type.Integer({ description: 'Position in the log, for the parameter after.' }),
    at: Timestamp,
    level: choice(logLevels),
    step: nullable(Type.String(), { description: 'Step of the playbook.' }),
    message: Type.String(),
  },
  { title: 'LogLine' },
);
export type LogLine = Static<typeof LogLine>;

export const DeploymentDetail = Type.Object(
  {
    ...Deployment.properties,
    logs: Type.Array(LogLine),
    last_lines: Type.Array(Type.String(), {
      description: 'If it failed because a container died or stayed unhealthy: the last lines of that container.',
    }),
    logs_truncated: Type.Boolean({ description: 'Whether there are more lines; read them with after.' }),
  },
  { title: 'DeploymentDetail' },
);
export type DeploymentDetail = Static<typeof DeploymentDetail>;
