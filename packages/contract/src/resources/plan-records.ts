import Type, { type Static } from 'typebox';
import { choice, id, nullable } from '../fields.ts';

export const PlannedChange = Type.Object(
  {
    field: Type.String({ examples: ['image', 'env.GREETING', 'resources.memory_bytes'] }),
    before: Type.Unknown({ description: 'Null if there was nothing; *** for secrets and the contents of files.' }),
    after: Type.Unknown({ description: 'Null if there will be nothing.' }),
    drift: Type.Boolean({ description: 'Somebody has changed the container; it is changed back.' }),
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
        'Of a service that is replaced. beside: the new container takes over while the old one still serves. recreate: the old one is stopped first.',
    }),
    interruption: Type.Boolean({ description: 'Whether it will not serve for a moment.' }),
    image: nullable(Type.String()),
    containers: Type.Integer({ minimum: 0, description: 'How many there are of it afterwards, or were before.' }),
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
    irreversible: Type.Boolean({ description: 'Once it has begun nothing goes back by itself.' }),
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
    needs_operator: Type.Boolean({ description: 'Refused unless the operator of the server allows it.' }),
  },
  { title: 'PlannedPermission' },
);
export type PlannedPermission = Static<typeof PlannedPermission>;

export const DeploymentPlan = Type.Object(
  {
    definition_id: id('definition'),
    server_id: id('server'),
    instance_id: nullable(id('instance'), { description: 'What runs; null if nothing is there.' }),
    revision: Type.Integer({ minimum: 1, description: 'The revision that would be deployed.' }),
    deployed_revision: nullable(Type.Integer(), { description: 'The one that is there.' }),
    spec_hash: Type.String({ description: 'Of the template version that would be deployed.' }),
    plan_hash: Type.String({
      description: 'Give it with the order: that is refused if the plan would be another one by then.',
    }),
    nothing_to_do: Type.Boolean(),
    interruption: Type.Boolean({ description: 'Whether something that serves will not for a moment.' }),
    components: Type.Array(PlannedComponent),
    pulls: Type.Array(Type.String(), { description: 'The images that are needed, pulled unless the server has them.' }),
    jobs: Type.Array(PlannedJob, { description: 'What would run besides.' }),
    routes: Type.Array(PlannedRoute),
    permissions: Type.Array(PlannedPermission, { description: 'Access to the server that was not asked for before.' }),
    warnings: Type.Array(Type.String(), { description: 'What a person should know, in sentences.' }),
  },
  { title: 'DeploymentPlan' },
);
export type DeploymentPlan = Static<typeof DeploymentPlan>;
