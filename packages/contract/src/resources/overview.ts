import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, Timestamp } from '../envelope.ts';
import { choice, id, nullable } from '../fields.ts';
import { instanceHealthMachine, instanceMachine } from '../machines/instance.ts';
import { serverMachine } from '../machines/server.ts';
import { Capacity } from './capacity.ts';
import { Deployment } from './deployment-records.ts';
import { Event } from './events.ts';
import { environments } from './server-records.ts';

const count = nullable(Type.Integer({ minimum: 0 }), { description: 'Null without the permission to list them.' });
const family = nullable(Type.String(), { description: 'Family of the species; null for species outside the catalog.' });

export const OverviewCounts = Type.Object(
  {
    species: count,
    instances: count,
    definitions: count,
    deployments: count,
    upgrades: count,
    servers: count,
    tenants: count,
    webhooks: count,
  },
  { title: 'OverviewCounts', description: 'deployments: pending and running ones. upgrades: available ones.' },
);
export type OverviewCounts = Static<typeof OverviewCounts>;

export const OverviewServer = Type.Object(
  {
    id: id('server'),
    name: Type.String(),
    environment: choice(environments),
    status: choice(serverMachine.states),
    last_seen_at: nullable(Timestamp),
    os: nullable(Type.String()),
    arch: nullable(Type.String()),
    engine: nullable(Type.String()),
    capacity: nullable(Capacity),
  },
  { title: 'OverviewServer' },
);
export type OverviewServer = Static<typeof OverviewServer>;

export const OverviewInstance = Type.Object(
  {
    id: id('instance'),
    definition_id: id('definition'),
    server_id: id('server'),
    name: Type.String(),
    species: Type.String(),
    family,
    status: choice(instanceMachine.states),
    health: choice(instanceHealthMachine.states),
    drifted_at: nullable(Timestamp),
    updated_at: Timestamp,
  },
  { title: 'OverviewInstance' },
);
export type OverviewInstance = Static<typeof OverviewInstance>;

export const OverviewStep = Type.Object(
  {
    step: Type.String({ description: 'Step of the playbook.' }),
    started_at: Timestamp,
    finished_at: nullable(Timestamp, { description: 'Null for the current step.' }),
  },
  { title: 'OverviewStep' },
);
export type OverviewStep = Static<typeof OverviewStep>;

export const OverviewDeployment = Type.Object(
  {
    ...Deployment.properties,
    name: nullable(Type.String(), { description: 'Name of its definition.' }),
    species: nullable(Type.String()),
    family,
    steps: Type.Array(OverviewStep, { description: 'Steps so far, oldest first.' }),
  },
  { title: 'OverviewDeployment' },
);
export type OverviewDeployment = Static<typeof OverviewDeployment>;

export const Overview = Type.Object(
  {
    counts: OverviewCounts,
    servers: nullable(Type.Array(OverviewServer), { description: 'At most 100.' }),
    instances: nullable(Type.Array(OverviewInstance), { description: 'At most 500, without released ones.' }),
    by_status: nullable(Type.Record(Type.String(), Type.Integer()), { description: 'All instances, by status.' }),
    by_health: nullable(Type.Record(Type.String(), Type.Integer()), { description: 'All instances, by health.' }),
    deployments: nullable(Type.Array(OverviewDeployment), { description: 'Running ones, at most 3.' }),
    events: nullable(Type.Array(Event), { description: 'The newest 12.' }),
  },
  { title: 'Overview' },
);
export type Overview = Static<typeof Overview>;

export const overviewEndpoints = {
  'overview.read': endpoint({
    method: 'GET',
    path: '/overview',
    tag: 'account',
    summary: 'Read what the account has and how it is, in one answer',
    description: 'For dashboards: one request instead of ten. A part that the caller may not read is null.',
    permission: 'session',
    response: answer(Overview),
  }),
};
