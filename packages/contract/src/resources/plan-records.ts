import Type, { type Static } from 'typebox';
import { choice, id, nullable } from '../records/fields.ts';
import { Placement } from './placement-records.ts';

export const PlannedChange = Type.Object(
  {
    field: Type.String({ examples: ['image', 'env.GREETING', 'resources.memory_bytes'] }),
    before: Type.Unknown({ description: 'Null if there is no value; *** for secrets and the contents of files.' }),
    after: Type.Unknown({ description: 'Null if the value is removed.' }),
    drift: Type.Boolean({
      description: 'Whether the container was modified outside of Hortus; the change is reverted.',
    }),
  },
  { title: 'PlannedChange' },
);
export type PlannedChange = Static<typeof PlannedChange>;

export const PlannedComponent = Type.Object(
  {
    name: Type.String(),
    kind: choice(['service', 'job']),
    change: choice(['created', 'replaced', 'unchanged', 'removed']),
    strategy: nullable(choice(['beside', 'recreate']), {
      description:
        'For replaced services. beside: the new container takes over while the old one still serves. recreate: the old one is stopped first.',
    }),
    interruption: Type.Boolean({ description: 'Whether it has a short downtime.' }),
    image: nullable(Type.String()),
    containers: Type.Integer({
      minimum: 0,
      description: 'Number of containers afterwards; for a removed component, before.',
    }),
    changes: Type.Array(PlannedChange),
  },
  { title: 'PlannedComponent' },
);
export type PlannedComponent = Static<typeof PlannedComponent>;

export const PlannedJob = Type.Object(
  {
    component: Type.String(),
    image: Type.String(),
    run: choice(['before_start', 'after_start']),
    irreversible: Type.Boolean({ description: 'Whether automatic rollback is impossible once the job has started.' }),
  },
  { title: 'PlannedJob' },
);
export type PlannedJob = Static<typeof PlannedJob>;

export const PlannedRoute = Type.Object(
  {
    name: Type.String(),
    change: choice(['added', 'changed', 'unchanged', 'removed']),
    before: nullable(Type.String()),
    after: nullable(Type.String()),
  },
  { title: 'PlannedRoute' },
);
export type PlannedRoute = Static<typeof PlannedRoute>;

export const PlannedPermission = Type.Object(
  {
    kind: Type.String(),
    component: Type.String(),
    value: nullable(Type.String()),
    reason: Type.String(),
    needs_operator: Type.Boolean({ description: 'Whether the operator of the server must allow it.' }),
  },
  { title: 'PlannedPermission' },
);
export type PlannedPermission = Static<typeof PlannedPermission>;

export const DeploymentPlan = Type.Object(
  {
    definition_id: id('definition'),
    server_id: id('server'),
    instance_id: nullable(id('instance'), { description: 'The existing instance; null if there is none.' }),
    revision: Type.Integer({ minimum: 1, description: 'The revision that would be deployed.' }),
    deployed_revision: nullable(Type.Integer(), { description: 'The revision that is deployed now.' }),
    spec_hash: Type.String({ description: 'Hash of the template version that would be deployed.' }),
    plan_hash: Type.String({
      description: 'Pass it with the order, which is then refused if the plan has changed.',
    }),
    nothing_to_do: Type.Boolean(),
    interruption: Type.Boolean({ description: 'Whether the deployment causes a short downtime.' }),
    components: Type.Array(PlannedComponent),
    pulls: Type.Array(Type.String(), { description: 'Required images; pulled if the server does not have them.' }),
    jobs: Type.Array(PlannedJob, { description: 'Jobs that would run.' }),
    routes: Type.Array(PlannedRoute),
    permissions: Type.Array(PlannedPermission, { description: 'New access to the server.' }),
    warnings: Type.Array(Type.String(), { description: 'Warnings for people.' }),
  },
  { title: 'DeploymentPlan' },
);
export type DeploymentPlan = Static<typeof DeploymentPlan>;

export const PlannedVolume = Type.Object(
  {
    name: Type.String({ description: 'Name of the volume in the template.' }),
    components: Type.Array(Type.String(), { description: 'Components that mount it.' }),
    critical: Type.Boolean({ description: 'Whether it holds data that cannot be recreated.' }),
  },
  { title: 'PlannedVolume' },
);
export type PlannedVolume = Static<typeof PlannedVolume>;

const { server_id, spec_hash, components, pulls, jobs, routes, permissions, warnings } = DeploymentPlan.properties;

export const DeploymentPreview = Type.Object(
  {
    ...{ server_id, spec_hash, components, pulls, jobs, routes, permissions, warnings },
    volumes: Type.Array(PlannedVolume),
    memory_bytes: Type.Integer({ minimum: 0, description: 'Memory limits of its services; 0 without limits.' }),
    placement: nullable(Placement, { description: 'Why this server was chosen; null if the request names it.' }),
  },
  { title: 'DeploymentPreview', description: 'What the first deployment of a definition would do.' },
);
export type DeploymentPreview = Static<typeof DeploymentPreview>;
