import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { choice, id, nullable } from '../fields.ts';
import { instanceHealthMachine, instanceMachine } from '../machines/instance.ts';

export const Component = Type.Object(
  {
    name: Type.String(),
    container_id: nullable(Type.String()),
    container_name: Type.Optional(nullable(Type.String(), { description: 'Null where the daemon gave none.' })),
    status: choice(instanceMachine.states),
    health: choice(instanceHealthMachine.states),
    image: nullable(Type.String()),
  },
  { title: 'Component' },
);
export type Component = Static<typeof Component>;

/** One respect in which an instance differs from what was deployed. */
export const Drift = Type.Object(
  {
    field: Type.String({ minLength: 1, maxLength: 256, examples: ['limits.memory', 'env.GREETING', 'component'] }),
    declared: Type.Unknown({ description: 'What was deployed; null if nothing. Texts that may hold secrets are ***.' }),
    actual: Type.Unknown({ description: 'What is there; null if nothing.' }),
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
    container_id: nullable(Type.String()),
    container_name: Type.String(),
    status: choice(instanceMachine.states),
    health: choice(instanceHealthMachine.states),
    revision: nullable(Type.Integer(), { description: 'The revision that runs.' }),
    url: nullable(Type.String(), { description: 'Address of its primary route.' }),
    components: Type.Array(Component),
    drift: Type.Array(Drift, { description: 'Where it differs from what was deployed.' }),
    drifted_at: nullable(Timestamp, { description: 'Since when it does.' }),
    started_at: nullable(Timestamp),
    uptime_seconds: Type.Integer({ minimum: 0, description: '0 unless it runs.' }),
    last_reported_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Instance' },
);
export type Instance = Static<typeof Instance>;

/** What reports may say: `released` and `lost` are for the service to decide. */
export const reportableStatuses = ['starting', 'running', 'restarting', 'stopped', 'failed'] as const;

const facts = {
  container_id: Type.Optional(nullable(Type.String({ maxLength: 128 }))),
  status: choice(reportableStatuses),
  health: Type.Optional(choice(instanceHealthMachine.states)),
};

/** An instance as a daemon or the CLI sees it. Fields it adds are ignored. */
export const ReportedInstance = Type.Object(
  {
    definition_id: Type.Optional(Type.String({ maxLength: 128 })),
    instance_uid: Type.Optional(Type.String({ maxLength: 128 })),
    container_name: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    started_at: Type.Optional(nullable(Type.Union([Timestamp, Type.Integer()]))),
    url: Type.Optional(
      nullable(
        Type.String({
          maxLength: 2048,
          // Shown as a link: nothing that a browser would run.
          pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
          description: 'Where it is reached, if its route cannot be served: an http or https address.',
        }),
      ),
    ),
    ...facts,
  },
  { title: 'ReportedInstance', description: 'Named by definition_id, instance_uid or container_name.' },
);
export type ReportedInstance = Static<typeof ReportedInstance>;

export const ReportedComponent = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    container_name: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    image: Type.Optional(nullable(Type.String({ maxLength: 512 }))),
    ...facts,
  },
  { title: 'ReportedComponent' },
);
export type ReportedComponent = Static<typeof ReportedComponent>;
