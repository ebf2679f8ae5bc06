import Type, { type Static } from 'typebox';
import { endpoint, LOG_BODY_LIMIT, LOG_BODY_VALUES } from '../endpoint.ts';
import { answer, list, paging, Timestamp } from '../envelope.ts';
import { choice, givenId, id, nullable } from '../fields.ts';
import { deploymentMachine } from '../machines/deployment.ts';
import { ReportedInstance } from './instance-records.ts';
import { DeploymentPlan } from './plan-records.ts';

export const deploymentKinds = ['deploy', 'renew', 'rollback', 'heal', 'test', 'migrate'] as const;
export const preparations = ['backup', 'restore'] as const;
export const logLevels = ['info', 'warn', 'error'] as const;

export const DeployedImage = Type.Object(
  {
    component: Type.String({ maxLength: 63 }),
    image: Type.String({ maxLength: 1024, description: 'Reference in the template.' }),
    digest: nullable(Type.String({ pattern: '^sha256:[0-9a-f]{64}$', maxLength: 71 }), {
      description: 'Digest of the image. Null for images that exist only locally.',
    }),
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
      { description: 'Preparation that must finish before a daemon may claim the deployment.' },
    ),
    backup_id: nullable(id('backup'), {
      description: 'The backup made before it; for a rollback with data, the backup to restore.',
    }),
    log_dropped: Type.Boolean({
      description:
        'Whether the log or its older lines were deleted because of their age or the output quota of the account.',
    }),
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
    logs_truncated: Type.Boolean({ description: 'Whether there are more lines; read them with after.' }),
  },
  { title: 'DeploymentDetail' },
);
export type DeploymentDetail = Static<typeof DeploymentDetail>;

/** A line as reported by a daemon; unknown fields are ignored, so that versions may differ. */
const ReportedLine = Type.Object({
  at: Type.Union([Timestamp, Type.Integer()], { description: 'ISO 8601 or milliseconds since 1970.' }),
  level: choice(logLevels),
  message: Type.String({ maxLength: 16_384 }),
  step: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
});
export type ReportedLine = Static<typeof ReportedLine>;

const LogPosition = Type.Object({
  source: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Who numbers the lines, for example one run of a daemon.',
  }),
  from: Type.Integer({
    minimum: 0,
    maximum: 1e9,
    description: 'Number of lines of this source before the first line of the report.',
  }),
});
export type LogPosition = Static<typeof LogPosition>;

const reported = {
  claim: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 64 }), {
      description:
        'Token chosen by the daemon for this deployment. After a claim with it, reports without it are refused.',
    }),
  ),
  log_position: Type.Optional(
    nullable(LogPosition, {
      description: 'Position of logs in the whole log; lines that were already received are skipped.',
    }),
  ),
  logs: Type.Optional(Type.Array(ReportedLine, { maxItems: 10_000 })),
  error: Type.Optional(nullable(Type.String({ maxLength: 8_192 }))),
  reason: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
};

export const DeploymentStatusReport = Type.Object(
  {
    status: choice(['running', 'success', 'failed']),
    container_id: Type.Optional(nullable(Type.String({ maxLength: 128 }))),
    ...reported,
  },
  { title: 'DeploymentStatusReport', examples: [{ status: 'running', logs: [] }] },
);
export type DeploymentStatusReport = Static<typeof DeploymentStatusReport>;

export const DeployReport = Type.Object(
  {
    deployment_id: givenId('The finished deployment.'),
    status: choice(['success', 'failed']),
    instance: Type.Optional(nullable(ReportedInstance)),
    images: Type.Optional(Type.Array(DeployedImage, { maxItems: 200 })),
    gap_ms: Type.Optional(nullable(Type.Integer({ minimum: 0, description: 'Downtime of the instance.' }))),
    rollback_of: Type.Optional(
      nullable(
        givenId(
          'The daemon rolled this deployment back because it became unhealthy. deployment_id is then a new id chosen by the daemon.',
        ),
      ),
    ),
    revision: Type.Optional(
      nullable(Type.Integer({ minimum: 1, description: 'With rollback_of: the revision that runs now.' })),
    ),
    ...reported,
  },
  { title: 'DeployReport' },
);
export type DeployReport = Static<typeof DeployReport>;

const order = {
  definition_id: Type.Optional(givenId('The definition to deploy. Required.')),
  spec_hash: Type.Optional(
    Type.String({ maxLength: 128, description: 'Refused if the current revision has another spec_hash.' }),
  ),
  plan_hash: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'Hash of a plan. Refused if the deployment would now do something else.',
    }),
  ),
  ignore_capacity: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Deploy even if the definition reserves more than the reported capacity.',
    }),
  ),
  pull: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Pull every image again, even if nothing else has changed, and replace containers with outdated images.',
    }),
  ),
  backup_first: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Make the declared backup first; if that fails, nothing is changed. A rollback with with_data restores it.',
    }),
  ),
};
export const RollbackOrder = Type.Object(
  {
    with_data: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Restore the data too, from the backup made before that revision was replaced. The present data is backed up first. Needs backups:restore.',
      }),
    ),
  },
  { title: 'RollbackOrder', additionalProperties: false, examples: [{ with_data: true }] },
);
export type RollbackOrder = Static<typeof RollbackOrder>;

export const DeploymentExecute = Type.Object(order, {
  title: 'DeploymentExecute',
  additionalProperties: false,
  examples: [{ definition_id: 'def_01j9zq3v5t8x2m4n6p7r9s0abc' }],
});
export const DeploymentCreate = Type.Object(
  { ...order, server_id: Type.Optional(givenId('Must be the server of the definition, if given.')) },
  { title: 'DeploymentCreate', additionalProperties: false },
);
export type DeploymentCreate = Static<typeof DeploymentCreate>;

const params = Type.Object({ id: givenId('Id of a deployment.') });
const shared = { tag: 'deployments', params } as const;
const ordering = {
  method: 'POST',
  tag: 'deployments',
  permission: 'deployments:execute',
  idempotent: true,
  status: 201,
  response: answer(Deployment),
} as const;

export const deploymentEndpoints = {
  'deployments.list': endpoint({
    method: 'GET',
    path: '/deployments',
    tag: 'deployments',
    summary: 'List the deployments, newest first',
    permission: 'deployments:read',
    query: Type.Object({
      definition_id: Type.Optional(givenId('Only those of this definition.')),
      server_id: Type.Optional(givenId('Only those of this server.')),
      status: Type.Optional(choice(deploymentMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Deployment),
  }),
  'deployments.execute': endpoint({
    ...ordering,
    path: '/deployments/execute',
    summary: 'Deploy a definition',
    description:
      'Pins the current revision. Deployments of one definition run one at a time, in order. Poll the deployment until it is success or failed.',
    body: DeploymentExecute,
  }),
  'deployments.create': endpoint({
    ...ordering,
    path: '/deployments',
    summary: 'Deploy a definition (alternative path)',
    body: DeploymentCreate,
  }),
  'deployments.plan': endpoint({
    method: 'POST',
    path: '/definitions/{id}/plan',
    tag: 'deployments',
    summary: 'Show what a deployment of a definition would change, without doing it',
    description:
      'Based on the last report of the daemon. Pass its plan_hash with the order to make sure that exactly this plan is executed.',
    permission: 'definitions:read',
    params: Type.Object({ id: givenId('Id of a definition.') }),
    response: answer(DeploymentPlan),
  }),
  'deployments.pending': endpoint({
    method: 'GET',
    path: '/deployments/pending',
    tag: 'deployments',
    summary: 'List the pending deployments',
    description:
      'For a server key: the deployments that its daemon may claim now, and those it has claimed and not finished. Oldest first.',
    permission: 'deployments:read',
    daemon: true,
    query: Type.Object({ server_id: Type.Optional(givenId('Only those of this server.')), ...paging }),
    response: list(Deployment),
  }),
  'deployments.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/deployments/{id}',
    summary: 'Read a deployment with its log',
    permission: 'deployments:read',
    daemon: true,
    query: Type.Object({
      after: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1e9, default: 0, description: 'Only log lines with a higher number.' }),
      ),
    }),
    response: answer(DeploymentDetail),
  }),
  'deployments.status': endpoint({
    ...shared,
    method: 'PATCH',
    path: '/deployments/{id}/status',
    summary: 'Report the progress of a deployment',
    description:
      'For daemons. running claims a pending deployment; repeated, it signals progress. success and failed are final. Repeating the final state is accepted, another one is refused.',
    permission: 'deployments:report',
    daemon: true,
    bodyLimit: LOG_BODY_LIMIT,
    bodyValues: LOG_BODY_VALUES,
    body: DeploymentStatusReport,
    response: answer(Deployment),
  }),
  'deployments.report': endpoint({
    method: 'POST',
    path: '/deploy/report',
    tag: 'deployments',
    summary: 'Report the result of a deployment',
    permission: 'deployments:report',
    daemon: true,
    bodyLimit: LOG_BODY_LIMIT,
    bodyValues: LOG_BODY_VALUES,
    body: DeployReport,
    response: answer(Deployment),
  }),
  'deployments.rollback': endpoint({
    ...shared,
    method: 'POST',
    path: '/deployments/{id}/rollback',
    summary: 'Roll back to the last successful revision before this deployment',
    description:
      'Creates a new deployment. When it succeeds, that revision becomes the current one. Secrets keep their values, and data does not change unless with_data is given.',
    permission: 'deployments:execute',
    idempotent: true,
    status: 201,
    body: RollbackOrder,
    response: answer(Deployment),
  }),
  'deployments.cancel': endpoint({
    ...shared,
    method: 'POST',
    path: '/deployments/{id}/cancel',
    summary: 'Cancel a deployment',
    description:
      'A pending deployment fails at once with the reason cancelled; a running one fails when its daemon has stopped it.',
    permission: 'deployments:execute',
    response: answer(Deployment),
  }),
};
