import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { gardenRunMachine } from '../machines/garden-run.ts';
import { choice, id, nullable } from '../records/fields.ts';

/** Kinds of things that a garden describes, in the order in which they are applied. */
export const gardenItemKinds = ['template', 'registry', 'channel', 'rule', 'webhook', 'definition'] as const;
export type GardenItemKind = (typeof gardenItemKinds)[number];

export const gardenActions = ['create', 'update', 'deploy', 'archive', 'remove', 'unchanged'] as const;
export type GardenAction = (typeof gardenActions)[number];

const gardenChangeStates = ['waiting', 'running', 'done', 'failed', 'skipped'] as const;

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String()), Type.Null()]);

export const GardenFieldChange = Type.Object(
  {
    field: Type.String({ examples: ['inputs.SITE_TITLE'] }),
    change: choice(['added', 'changed', 'removed']),
    before: Type.Optional(Value),
    after: Type.Optional(Value),
    secret: Type.Optional(Type.Literal(true, { description: 'A secret: its values are never shown.' })),
  },
  { title: 'GardenFieldChange' },
);
export type GardenFieldChange = Static<typeof GardenFieldChange>;

export const GardenChange = Type.Object(
  {
    kind: choice(gardenItemKinds),
    key: Type.String({ description: 'The uid of a definition, the host of a registry, otherwise its name.' }),
    action: choice(gardenActions, {
      description:
        'deploy: it equals the file but does not run as it says. archive and remove happen only with prune, to what this garden made.',
    }),
    id: nullable(Type.String(), { description: 'Id of the record; null if it is to be created.' }),
    fields: Type.Array(GardenFieldChange),
    needs: Type.Array(Type.String(), { description: 'Changes that come first, such as `definition db`.' }),
  },
  { title: 'GardenChange' },
);
export type GardenChange = Static<typeof GardenChange>;

export const GardenCounts = Type.Object(
  Object.fromEntries(gardenActions.map((action) => [action, Type.Integer({ minimum: 0 })])) as Record<
    GardenAction,
    ReturnType<typeof Type.Integer>
  >,
  { title: 'GardenCounts', description: 'Number of items by what happens to them.' },
);
export type GardenCounts = Static<typeof GardenCounts>;

export const planHash = Type.String({ pattern: '^sha256:[0-9a-f]{64}$', maxLength: 71 });

export const GardenProblem = Type.Object(
  {
    field: Type.String({ examples: ['definitions.blog.server'] }),
    message: Type.String(),
  },
  { title: 'GardenProblem' },
);
export type GardenProblem = Static<typeof GardenProblem>;

export const GardenPlan = Type.Object(
  {
    name: Type.String({ description: 'Name of the garden.' }),
    garden_id: nullable(id('garden'), { description: 'Null if it was never applied.' }),
    plan_hash: planHash,
    counts: GardenCounts,
    changes: Type.Array(GardenChange, {
      description: 'In the order in which they are applied, without unchanged items.',
    }),
    problems: Type.Array(GardenProblem, { description: 'Reasons for which it cannot be applied.' }),
    unresolved: Type.Array(Type.String(), {
      description: 'References without a value, such as `env.SMTP_PASSWORD`; it cannot be applied without them.',
    }),
  },
  { title: 'GardenPlan' },
);
export type GardenPlan = Static<typeof GardenPlan>;

export const GardenRun = Type.Object(
  {
    id: id('gardenRun'),
    garden_id: id('garden'),
    garden_name: Type.String(),
    status: choice(gardenRunMachine.states),
    prune: Type.Boolean(),
    plan_hash: planHash,
    counts: GardenCounts,
    done: Type.Integer({ description: 'Number of changes that are done.' }),
    reason: nullable(Type.String(), { description: 'Why it failed, in one word.' }),
    error: nullable(Type.String(), { description: 'Why it failed, for people.' }),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'GardenRun' },
);
export type GardenRun = Static<typeof GardenRun>;

export const GardenRunChange = Type.Object(
  {
    ...GardenChange.properties,
    state: choice(gardenChangeStates, {
      description: 'skipped: not carried out, because another change failed or the run was cancelled.',
    }),
    deployment_id: nullable(id('deployment'), { description: 'The deployment that was ordered for it.' }),
    error: nullable(Type.String()),
  },
  { title: 'GardenRunChange' },
);
export type GardenRunChange = Static<typeof GardenRunChange>;

export const GardenRunDetail = Type.Object(
  { ...GardenRun.properties, changes: Type.Array(GardenRunChange) },
  { title: 'GardenRunDetail' },
);
export type GardenRunDetail = Static<typeof GardenRunDetail>;
