import Type, { type Static, type TSchema } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, Timestamp } from '../envelope.ts';
import { instanceHealthMachine, instanceMachine } from '../machines/instance.ts';
import { serverMachine } from '../machines/server.ts';
import { choice, id, idParam, nullable } from '../records/fields.ts';
import { BackupPlan, Execution, ListedAction } from './actions.ts';
import { Backup } from './backups.ts';
import { Capacity } from './capacity.ts';
import { Definition } from './definition-records.ts';
import { Deployment } from './deployment-records.ts';
import { Event } from './events.ts';
import { Instance } from './instance-records.ts';
import { environments, Server } from './server-records.ts';

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
    trusted: Server.properties.trusted,
    last_seen_at: nullable(Timestamp),
    os: nullable(Type.String()),
    arch: nullable(Type.String()),
    engine: nullable(Type.String()),
    apps_domain: Server.properties.apps_domain,
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

/** Browsers send a cookie to every port of its host. */
export const Neighbour = Type.Object(
  {
    instance_id: id('instance'),
    name: Type.String(),
    addresses: Type.Array(Type.String(), {
      description: 'Addresses with the host name of the console: of its route, or of ports that it publishes.',
      examples: [['http://hortus.example.org:8080', 'hortus.example.org:5432']],
    }),
  },
  { title: 'Neighbour' },
);
export type Neighbour = Static<typeof Neighbour>;

export const Overview = Type.Object(
  {
    counts: OverviewCounts,
    servers: nullable(Type.Array(OverviewServer), { description: 'At most 100.' }),
    instances: nullable(Type.Array(OverviewInstance), { description: 'At most 500, without released ones.' }),
    by_status: nullable(Type.Record(Type.String(), Type.Integer()), { description: 'All instances, by status.' }),
    by_health: nullable(Type.Record(Type.String(), Type.Integer()), { description: 'All instances, by health.' }),
    deployments: nullable(Type.Array(OverviewDeployment), { description: 'Running ones, at most 3.' }),
    events: nullable(Type.Array(Event), { description: 'The newest 12.' }),
    neighbours: nullable(Type.Array(Neighbour), {
      description:
        'Instances that share the host name of the console, and so receive its cookie; at most 20. Null without the permission to read instances and servers.',
    }),
  },
  { title: 'Overview' },
);
export type Overview = Static<typeof Overview>;

const recent = <Item extends TSchema>(item: Item, max: number) =>
  nullable(Type.Object({ total: Type.Integer({ minimum: 0 }), data: Type.Array(item) }), {
    description: `The newest ${max}, and how many there are.`,
  });

const { capacity: _, ...facts } = OverviewServer.properties;
/** The server of an instance; its capacity is a read of its own. */
const InstanceServer = Type.Object(facts, { title: 'InstanceServer' });

export const InstanceOverview = Type.Object(
  {
    instance: Instance,
    server: nullable(InstanceServer),
    definition: nullable(Definition),
    actions: nullable(Type.Array(ListedAction), { description: 'The actions that its template declares.' }),
    backup: nullable(BackupPlan, { description: 'What a backup of it contains.' }),
    executions: recent(Execution, 6),
    backups: recent(Backup, 14),
    deployments: recent(Deployment, 20),
  },
  { title: 'InstanceOverview' },
);
export type InstanceOverview = Static<typeof InstanceOverview>;

export const overviewEndpoints = {
  'overview.read': endpoint({
    method: 'GET',
    path: '/overview',
    tag: 'account',
    summary: 'Read what the account has and how it is, in one answer',
    description: 'For dashboards: one request instead of ten. A part that the caller may not read is null.',
    permission: 'session',
    response: envelope(Overview),
  }),
  'overview.instance': endpoint({
    method: 'GET',
    path: '/instances/{id}/overview',
    tag: 'instances',
    summary: 'Read an instance with its server, definition, actions and newest records, in one answer',
    description: 'A part that the caller may not read is null.',
    permission: 'instances:read',
    params: Type.Object({ id: idParam('Id of an instance.') }),
    response: envelope(InstanceOverview),
  }),
};
