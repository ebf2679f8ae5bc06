import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { instanceHealthMachine, instanceMachine } from '../machines/instance.ts';
import { choice, id, nullable } from '../records/fields.ts';

export const Component = Type.Object(
  {
    name: Type.String(),
    container_id: nullable(Type.String()),
    container_name: Type.Optional(nullable(Type.String(), { description: 'Null if the daemon reported none.' })),
    status: choice(instanceMachine.states),
    health: choice(instanceHealthMachine.states),
    image: nullable(Type.String()),
    nodes: Type.Optional(
      Type.Array(Type.String(), { description: 'Host names of the nodes of a cluster that run its tasks.' }),
    ),
  },
  { title: 'Component' },
);
export type Component = Static<typeof Component>;

/** One difference between an instance and what was deployed. */
export const Drift = Type.Object(
  {
    field: Type.String({ minLength: 1, maxLength: 256, examples: ['limits.memory', 'env.GREETING', 'component'] }),
    declared: Type.Unknown({
      description: 'Deployed value; null if there was none. Texts that may contain secrets are ***.',
    }),
    actual: Type.Unknown({ description: 'Actual value; null if there is none.' }),
    component: Type.Optional(
      nullable(Type.String({ maxLength: 64 }), { description: 'The component; null for the instance as a whole.' }),
    ),
  },
  { title: 'Drift' },
);
export type Drift = Static<typeof Drift>;

export const Instance = Type.Object(
  {
    id: id('instance'),
    definition_id: id('definition'),
    server_id: id('server'),
    name: Type.String(),
    instance_uid: Type.String(),
    species: Type.String(),
    family: Type.String({ description: 'Family of the species.' }),
    container_id: nullable(Type.String()),
    container_name: Type.String(),
    status: choice(instanceMachine.states),
    health: choice(instanceHealthMachine.states),
    revision: nullable(Type.Integer(), { description: 'The revision that runs.' }),
    url: nullable(Type.String(), { description: 'Address of its primary route.' }),
    components: Type.Array(Component),
    drift: Type.Array(Drift, { description: 'Differences from what was deployed.' }),
    drifted_at: nullable(Timestamp, { description: 'When the drift was first reported.' }),
    started_at: nullable(Timestamp),
    uptime_seconds: Type.Integer({ minimum: 0, description: '0 if the instance does not run.' }),
    last_reported_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Instance' },
);
export type Instance = Static<typeof Instance>;

/** Statuses that reports may contain: only the service sets `released` and `lost`. */
export const reportableStatuses = ['starting', 'running', 'restarting', 'stopped', 'failed'] as const;

const facts = {
  container_id: Type.Optional(nullable(Type.String({ maxLength: 128 }))),
  status: choice(reportableStatuses),
  health: Type.Optional(choice(instanceHealthMachine.states)),
};

/** An instance as reported by a daemon or the CLI. Unknown fields are ignored. */
export const ReportedInstance = Type.Object(
  {
    id: Type.Optional(Type.String({ maxLength: 128, description: 'Id of the instance, as in its record.' })),
    definition_id: Type.Optional(Type.String({ maxLength: 128 })),
    instance_uid: Type.Optional(Type.String({ maxLength: 128 })),
    container_name: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    started_at: Type.Optional(nullable(Type.Union([Timestamp, Type.Integer()]))),
    url: Type.Optional(
      nullable(
        Type.String({
          maxLength: 2048,
          // The console shows it as a link, so only http and https are safe.
          pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
          description: 'Address of the instance if its route cannot be served: http or https.',
        }),
      ),
    ),
    ...facts,
  },
  { title: 'ReportedInstance', description: 'Identified by id, definition_id, instance_uid or container_name.' },
);
export type ReportedInstance = Static<typeof ReportedInstance>;

export const ReportedComponent = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    container_name: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    image: Type.Optional(nullable(Type.String({ maxLength: 512 }))),
    nodes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 500,
        description: 'Host names of the nodes of a cluster that run its tasks.',
      }),
    ),
    ...facts,
  },
  { title: 'ReportedComponent' },
);
export type ReportedComponent = Static<typeof ReportedComponent>;
