import Type, { type Static } from 'typebox';
import { endpoint, LOG_BODY_LIMIT, LOG_BODY_VALUES, live } from '../endpoint.ts';
import { envelope, list, paging } from '../envelope.ts';
import { deploymentMachine } from '../machines/deployment.ts';
import { choice, idParam } from '../records/fields.ts';
import { DefinitionCreate } from './definitions.ts';
import { Deployment, DeploymentDetail } from './deployment-records.ts';
import { DeploymentStatusReport, DeployReport } from './deployment-reports.ts';
import { DeploymentPlan, DeploymentPreview } from './plan-records.ts';

const order = {
  definition_id: Type.Optional(idParam('The definition to deploy. Required.')),
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

const DeploymentExecute = Type.Object(order, {
  title: 'DeploymentExecute',
  additionalProperties: false,
  examples: [{ definition_id: 'def_01j9zq3v5t8x2m4n6p7r9s0abc' }],
});
export const DeploymentCreate = Type.Object(
  { ...order, server_id: Type.Optional(idParam('Must be the server of the definition, if given.')) },
  { title: 'DeploymentCreate', additionalProperties: false },
);
export type DeploymentCreate = Static<typeof DeploymentCreate>;

const params = Type.Object({ id: idParam('Id of a deployment.') });
const shared = { tag: 'deployments', params } as const;
const ordering = {
  method: 'POST',
  tag: 'deployments',
  permission: 'deployments:execute',
  idempotent: true,
  status: 201,
  response: envelope(Deployment),
} as const;

const reading = endpoint({
  ...shared,
  method: 'GET',
  path: '/deployments/{id}',
  summary: 'Read a deployment with its log, or follow it',
  description:
    'As a stream: the lines of its log, and the deployment whenever it changes. It ends with the deployment.',
  permission: 'deployments:read',
  daemon: true,
  query: Type.Object({
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1e9, default: 0, description: 'Only log lines with a higher number.' }),
    ),
  }),
  response: envelope(DeploymentDetail),
});

export const deploymentEndpoints = {
  'deployments.list': endpoint({
    method: 'GET',
    path: '/deployments',
    tag: 'deployments',
    summary: 'List the deployments, newest first',
    permission: 'deployments:read',
    query: Type.Object({
      definition_id: Type.Optional(idParam('Only those of this definition.')),
      server_id: Type.Optional(idParam('Only those of this server.')),
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
    params: Type.Object({ id: idParam('Id of a definition.') }),
    response: envelope(DeploymentPlan),
  }),
  'deployments.preview': endpoint({
    method: 'POST',
    path: '/definitions/plan',
    tag: 'deployments',
    summary: 'Show what creating and deploying a definition would do, without doing it',
    description: 'Takes the body of a new definition and checks it alike. Nothing is stored.',
    permission: 'definitions:write',
    body: DefinitionCreate,
    response: envelope(DeploymentPreview),
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
    query: Type.Object({ server_id: Type.Optional(idParam('Only those of this server.')), ...paging }),
    response: list(Deployment),
  }),
  'deployments.read': live(reading, {
    events: {
      line: 'a line of its log, as in the list.',
      deployment: 'the deployment without its log, at first and after every change.',
    },
    ids: 'the number of the line',
  }),
  'deployments.status': endpoint({
    ...shared,
    method: 'PATCH',
    path: '/deployments/{id}/status',
    summary: 'Report the progress of a deployment',
    description:
      'For daemons. running claims a pending deployment; repeated, it signals progress. success and failed are final. Repeating the state that it has is accepted and changes nothing; a final one cannot be left.',
    permission: 'deployments:report',
    daemon: true,
    bodyLimit: LOG_BODY_LIMIT,
    bodyValues: LOG_BODY_VALUES,
    body: DeploymentStatusReport,
    response: envelope(Deployment),
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
    response: envelope(Deployment),
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
    response: envelope(Deployment),
  }),
  'deployments.cancel': endpoint({
    ...shared,
    method: 'POST',
    path: '/deployments/{id}/cancel',
    summary: 'Cancel a deployment',
    description:
      'A pending deployment fails at once with the reason cancelled; a running one fails when its daemon has stopped it.',
    permission: 'deployments:execute',
    response: envelope(Deployment),
  }),
};
