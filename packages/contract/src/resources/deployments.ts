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
    image: Type.String({ maxLength: 1024, description: 'As the template names it.' }),
    digest: nullable(Type.String({ pattern: '^sha256:[0-9a-f]{64}$', maxLength: 71 }), {
      description: 'Which bytes that was. Null of an image that no registry has.',
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
    instance_id: nullable(id('instance'), { description: 'What it deploys to; null until a daemon has taken it.' }),
    status: choice(deploymentMachine.states),
    kind: choice(deploymentKinds, {
      description:
        'renew: every image is asked for again, and what runs on a former one replaced. heal: nobody ordered it; it brings back what runs, because that has drifted. test: tries a template, and is removed again.',
    }),
    rollback_of: nullable(id('deployment'), { description: 'The deployment that this one undoes.' }),
    revision: Type.Integer({ minimum: 1, description: 'Pinned when it was ordered.' }),
    template_id: id('template'),
    spec_hash: Type.String(),
    reason: nullable(Type.String(), {
      description: 'Why it failed, in one word; of a rollback that nobody ordered, why the daemon went back.',
      examples: ['unhealthy', 'deadline', 'cancelled', 'refused', 'backup', 'restore'],
    }),
    error: nullable(Type.String(), { description: 'Why it failed, for a person.' }),
    gap_ms: nullable(Type.Integer({ minimum: 0 }), {
      description: 'For how long the instance did not serve; null where nothing that ran was replaced.',
    }),
    images: Type.Array(DeployedImage, {
      description: 'What each component ran. A rollback runs these very bytes again, whatever the tags say by then.',
    }),
    preparation: nullable(
      Type.Object({
        kind: choice(preparations),
        execution_id: nullable(id('execution')),
        done: Type.Boolean(),
      }),
      { description: 'What is done before a daemon may take it.' },
    ),
    backup_id: nullable(id('backup'), {
      description: 'Made before it or, of a rollback with data, brought back.',
    }),
    log_dropped: Type.Boolean({
      description:
        'The log or its older lines were dropped: by age, or because the stored output of the account was full.',
    }),
    cancelling: Type.Boolean({ description: 'Asked to stop; the daemon has not confirmed yet.' }),
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
    number: Type.Integer({ description: 'Place in the log; the cursor of after.' }),
    at: Timestamp,
    level: choice(logLevels),
    step: nullable(Type.String(), { description: 'The step of the playbook it belongs to.' }),
    message: Type.String(),
  },
  { title: 'LogLine' },
);
export type LogLine = Static<typeof LogLine>;

export const DeploymentDetail = Type.Object(
  {
    ...Deployment.properties,
    logs: Type.Array(LogLine),
    logs_truncated: Type.Boolean({ description: 'There is more: ask again with after.' }),
  },
  { title: 'DeploymentDetail' },
);
export type DeploymentDetail = Static<typeof DeploymentDetail>;

/** A line as a daemon sends it: fields it adds are ignored, so that versions may differ. */
const ReportedLine = Type.Object({
  at: Type.Union([Timestamp, Type.Integer()], { description: 'ISO 8601 or milliseconds since 1970.' }),
  level: choice(logLevels),
  message: Type.String({ maxLength: 16_384 }),
  step: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
});
export type ReportedLine = Static<typeof ReportedLine>;

const LogPosition = Type.Object({
  source: Type.String({ minLength: 1, maxLength: 64, description: 'Who counts, such as one life of a daemon.' }),
  from: Type.Integer({ minimum: 0, maximum: 1e9, description: 'How many lines of it came before the first of these.' }),
});
export type LogPosition = Static<typeof LogPosition>;

const reported = {
  claim: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 64 }), {
      description:
        'A token that the daemon has made up for this deployment. Once claimed with it, reports without it are refused.',
    }),
  ),
  log_position: Type.Optional(
    nullable(LogPosition, { description: 'Where logs stand in the whole; lines that came before are not kept twice.' }),
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
    deployment_id: givenId('The deployment that ended.'),
    status: choice(['success', 'failed']),
    instance: Type.Optional(nullable(ReportedInstance)),
    images: Type.Optional(Type.Array(DeployedImage, { maxItems: 200 })),
    gap_ms: Type.Optional(
      nullable(Type.Integer({ minimum: 0, description: 'For how long the instance did not serve.' })),
    ),
    rollback_of: Type.Optional(
      nullable(
        givenId(
          'The daemon went back by itself, because this deployment turned unhealthy. deployment_id is then a new id of its own making.',
        ),
      ),
    ),
    revision: Type.Optional(
      nullable(Type.Integer({ minimum: 1, description: 'With rollback_of: the revision it went back to.' })),
    ),
    ...reported,
  },
  { title: 'DeployReport' },
);
export type DeployReport = Static<typeof DeployReport>;

const order = {
  definition_id: Type.Optional(givenId('The definition to deploy. Required.')),
  spec_hash: Type.Optional(
    Type.String({ maxLength: 128, description: 'Refused if the current revision is of another version by then.' }),
  ),
  plan_hash: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'Of a plan: refused if the deployment would do something else by then.',
    }),
  ),
  ignore_capacity: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Deploy even where the reported capacity is less than what it reserves.',
    }),
  ),
  pull: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Ask the registries for every image again, though nothing else has changed; what runs on a former one is replaced.',
    }),
  ),
  backup_first: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Make the declared backup before it begins; if that fails, nothing is changed. A rollback brings it back with with_data.',
    }),
  ),
};
export const RollbackOrder = Type.Object(
  {
    with_data: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Bring back its data too, from the backup made before that revision was left. What is there now is kept. Needs backups:restore.',
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
  { ...order, server_id: Type.Optional(givenId('If given it must be the server of the definition.')) },
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
      'Pins the current revision. One deployment of a definition runs at a time, further ones wait in order. Poll the deployment until it is success or failed.',
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
      'From what the daemon of its server has last reported. Give its plan_hash with the order to make sure that this, and nothing else, happens.',
    permission: 'definitions:read',
    params: Type.Object({ id: givenId('Id of a definition.') }),
    response: answer(DeploymentPlan),
  }),
  'deployments.pending': endpoint({
    method: 'GET',
    path: '/deployments/pending',
    tag: 'deployments',
    summary: 'List what is waiting to be deployed',
    description:
      'For a server key: what its daemon may take now, and what it has taken and not finished. Oldest first.',
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
      'For daemons. running claims a pending deployment, and repeated it is a sign of progress; success and failed are final. The same final state again is accepted, another is refused.',
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
    summary: 'Go back to the last revision that succeeded before this deployment',
    description:
      'Makes a new deployment. When it succeeds that revision is the current one. Secrets keep their values, and data stays as it is unless with_data is given.',
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
      'One that waits fails at once with the reason cancelled; a running one when its daemon has stopped it.',
    permission: 'deployments:execute',
    response: answer(Deployment),
  }),
};
