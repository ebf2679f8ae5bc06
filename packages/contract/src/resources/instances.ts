import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, topLevel } from '../envelope.ts';
import { instanceHealthMachine, instanceMachine } from '../machines/instance.ts';
import { choice, idParam, text } from '../records/fields.ts';
import { instanceSorts } from '../records/instance-sorts.ts';
import { Execution } from './actions.ts';
import { Deployment } from './deployment-records.ts';
import { Drift, Instance, ReportedComponent, ReportedInstance } from './instance-records.ts';

const count = Type.Integer({ minimum: 0 });

export const InstanceStats = Type.Object(
  {
    total: count,
    running: count,
    failures: Type.Integer({ minimum: 0, description: 'Failed, lost or unhealthy.' }),
    by_status: Type.Record(Type.String(), count),
    by_health: Type.Record(Type.String(), count),
    failures_by_day: Type.Array(
      Type.Object({
        date: Type.String({ examples: ['2030-01-31'] }),
        deployments: count,
        actions: count,
        unhealthy: count,
      }),
      {
        description:
          'Oldest first, today last, in UTC: failed deployments, failed actions, instances that became unhealthy.',
      },
    ),
  },
  { title: 'InstanceStats' },
);
export type InstanceStats = Static<typeof InstanceStats>;

const Unrecognised = Type.Object(
  {
    entry: Type.Integer({ minimum: 0, description: 'Position in the report, from 0.' }),
    field: Type.String(),
    message: Type.String(),
  },
  { title: 'Unrecognised' },
);
export type Unrecognised = Static<typeof Unrecognised>;

export const ReportOutcome = Type.Object(
  {
    accepted: count,
    unknown: Type.Array(Type.String(), { description: 'Names that match no instance of the caller.' }),
    unrecognised: Type.Array(Unrecognised, {
      description: 'What was not applied, and why: entries that match no instance, and unknown fields. 100 at most.',
    }),
  },
  { title: 'ReportOutcome' },
);
export type ReportOutcome = Static<typeof ReportOutcome>;

export const ReleaseOrder = Type.Object(
  {
    remove_volumes: Type.Optional(Type.Boolean({ default: false })),
    confirm: Type.Optional(
      Type.Array(Type.String({ maxLength: 128 }), {
        maxItems: 100,
        description: 'Names of all critical volumes that will be removed.',
      }),
    ),
  },
  { title: 'ReleaseOrder', additionalProperties: false, examples: [{ remove_volumes: true, confirm: ['dbdata'] }] },
);
export type ReleaseOrder = Static<typeof ReleaseOrder>;

const params = Type.Object({ id: idParam('Id of an instance.') });
const shared = { tag: 'instances', params } as const;

/** Start, stop, restart and release are built-in actions: executed by the daemon and read like any other execution. */
const Ordered = topLevel({ execution: Execution, instance: Instance, data: Instance });
const builtIn = { ...shared, method: 'POST', permission: 'instances:write', status: 202, response: Ordered } as const;

export const instanceEndpoints = {
  'instances.list': endpoint({
    method: 'GET',
    path: '/instances',
    tag: 'instances',
    summary: 'List the instances',
    permission: 'instances:read',
    query: Type.Object({
      server_id: Type.Optional(idParam('Only those on this server.')),
      definition_id: Type.Optional(idParam('Only those of this definition.')),
      status: Type.Optional(choice(instanceMachine.states)),
      health: Type.Optional(choice(instanceHealthMachine.states)),
      q: Type.Optional(
        text(64, { description: 'Only those with this text in their name or instance_uid, in any case.' }),
      ),
      sort: Type.Optional(
        choice(instanceSorts, {
          description:
            'Newest first by default. status: those that need attention first. started_at: longest first. ' +
            'A sorted list ends after 10,000 instances.',
        }),
      ),
      ...paging,
    }),
    response: list(Instance),
  }),
  'instances.stats': endpoint({
    method: 'GET',
    path: '/instances/stats',
    tag: 'instances',
    summary: 'Count the instances by state and health',
    permission: 'instances:read',
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 90, default: 7, description: 'Number of days in failures_by_day.' }),
      ),
    }),
    response: envelope(InstanceStats),
  }),
  'instances.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/instances/{id}',
    summary: 'Read an instance',
    permission: 'instances:read',
    daemon: true,
    response: envelope(Instance),
  }),
  'instances.report': endpoint({
    method: 'POST',
    path: '/instances/report',
    tag: 'instances',
    summary: 'Report the state of instances',
    permission: 'instances:report',
    daemon: true,
    body: Type.Object({ instances: Type.Array(ReportedInstance, { maxItems: 2000 }) }),
    response: envelope(ReportOutcome),
  }),
  'instances.syncComponents': endpoint({
    method: 'POST',
    path: '/instances/components/sync',
    tag: 'instances',
    summary: 'Report the containers of an instance',
    description: 'Components that are not in the list are removed.',
    permission: 'instances:report',
    daemon: true,
    body: Type.Object({
      instance_id: idParam('The instance.'),
      components: Type.Array(ReportedComponent, { maxItems: 200 }),
    }),
    response: envelope(Instance),
  }),
  'instances.drift': endpoint({
    ...shared,
    method: 'POST',
    path: '/instances/{id}/drift',
    summary: 'Report drift between the declared and the real state',
    description:
      'Each report replaces the last: an empty list clears the drift. With heal, the definition is deployed again.',
    permission: 'instances:report',
    daemon: true,
    body: Type.Object(
      { drift: Type.Array(Drift, { maxItems: 500 }) },
      {
        title: 'DriftReport',
        examples: [{ drift: [{ field: 'limits.memory', declared: 67108864, actual: 134217728, component: 'app' }] }],
      },
    ),
    response: envelope(Instance),
  }),
  'instances.deployments': endpoint({
    ...shared,
    method: 'GET',
    path: '/instances/{id}/deployments',
    summary: 'List the deployments of an instance, newest first',
    permission: 'deployments:read',
    query: Type.Object({ ...paging }),
    response: list(Deployment),
  }),
  'instances.start': endpoint({ ...builtIn, path: '/instances/{id}/start', summary: 'Start a stopped instance' }),
  'instances.stop': endpoint({ ...builtIn, path: '/instances/{id}/stop', summary: 'Stop an instance' }),
  'instances.restart': endpoint({ ...builtIn, path: '/instances/{id}/restart', summary: 'Restart an instance' }),
  'instances.smoke': endpoint({
    ...builtIn,
    path: '/instances/{id}/smoke',
    summary: 'Run the smoke test of an instance',
    description: 'Runs the checks that its template declares. The output of the execution lists each with its result.',
  }),
  'instances.release': endpoint({
    ...builtIn,
    path: '/instances/{id}/release',
    summary: 'Remove the containers of an instance',
    description: 'Volumes are kept unless remove_volumes is set; critical volumes must then be named in confirm.',
    body: ReleaseOrder,
  }),
};
