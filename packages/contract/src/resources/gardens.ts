import Type, { type Static } from 'typebox';
import { endpoint, LOG_BODY_LIMIT, LOG_BODY_VALUES } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { gardenRunMachine } from '../machines/garden-run.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';
import { GardenPlan, GardenRun, GardenRunDetail, planHash } from './garden-records.ts';
import { GardenSource } from './garden-source-records.ts';

export const Garden = Type.Object(
  {
    id: id('garden'),
    name: Type.String(),
    source: nullable(GardenSource, {
      description: 'The repository that it is followed in; null if its files are sent by a client.',
    }),
    items: Type.Integer({ description: 'Number of records that this garden made.' }),
    last_run: nullable(GardenRun, { description: 'Its newest run.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'GardenRecord' },
);
export type Garden = Static<typeof Garden>;

const files = {
  garden: Type.Record(Type.String({ pattern: '^[a-z_]{1,32}$' }), Type.Unknown(), {
    additionalProperties: false,
    maxProperties: 20,
    description: 'The content of garden.yaml as data; /schemas/garden.json describes it. References stay as they are.',
  }),
  templates: Type.Optional(
    Type.Array(
      Type.Object(
        {
          path: text(512, { description: 'Its path in `templates` of the garden.' }),
          source: Type.String({ maxLength: 262_144, description: 'The text of the template.' }),
        },
        { additionalProperties: false },
      ),
      { maxItems: 200, description: 'The private templates beside the garden.' },
    ),
  ),
  values: Type.Optional(
    Type.Record(Type.String({ pattern: '^(?:env\\.|file:).{1,512}$' }), Type.String({ maxLength: 65_536 }), {
      additionalProperties: false,
      maxProperties: 5_000,
      description:
        'Values of the references: `env.NAME` or `file:path`. Stored encrypted, and only while a run needs them.',
    }),
  ),
  prune: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Also archive or remove what this garden made and what left the file.',
    }),
  ),
};

const example = [
  {
    garden: {
      name: 'home',
      definitions: { blog: { species: 'inkwell', server: 'attic', inputs: { WEB_HOSTNAME: 'blog.example.org' } } },
    },
  },
];

export const GardenFiles = Type.Object(files, {
  title: 'GardenFiles',
  additionalProperties: false,
  examples: example,
});
export type GardenFiles = Static<typeof GardenFiles>;

export const GardenApply = Type.Object(
  { ...files, plan_hash: Type.Optional({ ...planHash, description: 'Refused if the plan has changed since.' }) },
  { title: 'GardenApply', additionalProperties: false, examples: example },
);
export type GardenApply = Static<typeof GardenApply>;

const ofGarden = Type.Object({ id: idParam('Id of a garden.') });
const ofRun = Type.Object({ id: idParam('Id of a run.') });
const shared = { tag: 'gardens' } as const;
const large = { bodyLimit: LOG_BODY_LIMIT, bodyValues: LOG_BODY_VALUES };

export const gardenEndpoints = {
  'gardens.plan': endpoint({
    ...shared,
    ...large,
    method: 'POST',
    path: '/gardens/plan',
    summary: 'Compare a garden with what exists',
    description:
      'Changes nothing. A given secret is compared with the stored one only if the key may change it; otherwise it counts as unchanged.',
    permission: 'gardens:read',
    body: GardenFiles,
    response: envelope(GardenPlan),
  }),
  'gardens.apply': endpoint({
    ...shared,
    ...large,
    method: 'POST',
    path: '/gardens/apply',
    summary: 'Apply a garden',
    description:
      'Plans it again and carries out the changes in the background, at most four deployments at once. Needs the permissions of every change. The same files while their run is applying answer that run.',
    permission: 'gardens:write',
    errors: ['FORBIDDEN'],
    idempotent: true,
    status: 202,
    body: GardenApply,
    response: envelope(GardenRunDetail),
  }),
  'gardens.list': endpoint({
    ...shared,
    method: 'GET',
    path: '/gardens',
    summary: 'List the gardens',
    permission: 'gardens:read',
    query: Type.Object({ ...paging }),
    response: list(Garden),
  }),
  'gardens.export': endpoint({
    ...shared,
    method: 'GET',
    path: '/gardens/export',
    summary: 'Write a garden from what exists',
    description: 'Secrets are left out, which keeps their stored values when it is applied.',
    permission: 'gardens:read',
    query: Type.Object({
      name: Type.Optional(text(63, { description: 'Name of the garden; only what that garden made if it exists.' })),
    }),
    response: envelope(
      Type.Object(
        { name: Type.String(), source: Type.String({ description: 'The text of garden.yaml.' }) },
        { title: 'GardenExport' },
      ),
    ),
  }),
  'gardens.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/gardens/{id}',
    summary: 'Read a garden',
    permission: 'gardens:read',
    params: ofGarden,
    response: envelope(Garden),
  }),
  'gardens.delete': endpoint({
    ...shared,
    method: 'DELETE',
    path: '/gardens/{id}',
    summary: 'Forget a garden',
    description: 'Changes nothing that it made. Refused while it is being applied.',
    permission: 'gardens:write',
    params: ofGarden,
    response: envelope(Garden),
  }),
  'gardens.runs': endpoint({
    ...shared,
    method: 'GET',
    path: '/gardens/{id}/runs',
    summary: 'List the runs of a garden, newest first',
    permission: 'gardens:read',
    params: ofGarden,
    query: Type.Object({
      status: Type.Optional(choice(gardenRunMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(GardenRun),
  }),
  'gardens.run': endpoint({
    ...shared,
    method: 'GET',
    path: '/gardens/runs/{id}',
    summary: 'Read a run with its changes',
    permission: 'gardens:read',
    params: ofRun,
    response: envelope(GardenRunDetail),
  }),
  'gardens.cancel': endpoint({
    ...shared,
    method: 'POST',
    path: '/gardens/runs/{id}/cancel',
    summary: 'Stop a run',
    description: 'Nothing new is ordered; deployments that were ordered run to their end. Idempotent.',
    permission: 'gardens:write',
    params: ofRun,
    response: envelope(GardenRun),
  }),
};
