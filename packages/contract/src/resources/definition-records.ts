import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { choice, id, nullable } from '../fields.ts';
import { definitionMachine } from '../machines/definition.ts';
import { BackupSettings } from './backup-settings.ts';

const specHash = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' });

export const InputValue = Type.Union([Type.String({ maxLength: 65_536 }), Type.Number(), Type.Boolean()], {
  title: 'InputValue',
});
export type InputValue = Static<typeof InputValue>;

/** What a revision fixes; a definition shows that of its current revision. */
const fixed = {
  template_id: id('template'),
  spec_hash: specHash,
  profile: Type.String({ examples: ['development'] }),
  variant: nullable(Type.String(), { description: 'Image variant; null takes the default one.' }),
  inputs: Type.Record(Type.String(), InputValue, { description: 'Without the password inputs.' }),
  secret_inputs: Type.Array(Type.String(), { description: 'Names of the password inputs that are set.' }),
};

export const Definition = Type.Object(
  {
    id: id('definition'),
    name: Type.String(),
    instance_uid: Type.String({
      description: 'Unique among the definitions of the account that are not archived.',
    }),
    species: Type.String(),
    template_version: Type.String(),
    ...fixed,
    server_id: id('server'),
    tenant_id: nullable(id('tenant'), { description: 'The tenant it belongs to, if it belongs to one.' }),
    status: choice(definitionMachine.states),
    current_revision: Type.Integer({ minimum: 1 }),
    container_name: Type.String({
      description:
        'Name of the main container on its server, and the start of the names of its networks and volumes. The instance_uid, with a suffix if another definition had that before.',
    }),
    watch_seconds: Type.Integer({
      description:
        'For so long after a deployment its daemon goes back to what ran before if the new one turns unhealthy; 0 for never.',
    }),
    backup: BackupSettings,
    deploy_test: Type.Boolean({ description: 'Made to try a template; lists leave it out, and it is archived soon.' }),
    heal: Type.Boolean({
      description: 'Whether an instance that differs from what was deployed is brought back without being asked.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Definition' },
);
export type Definition = Static<typeof Definition>;

export const RevisionChange = Type.Object(
  {
    field: Type.String({
      description: 'template_id, profile, variant, inputs.NAME or secrets.NAME.',
      examples: ['inputs.SITE_TITLE'],
    }),
    change: choice(['added', 'removed', 'changed']),
    before: Type.Optional(nullable(InputValue, { description: 'Left out for secrets.' })),
    after: Type.Optional(nullable(InputValue, { description: 'Left out for secrets.' })),
  },
  { title: 'RevisionChange' },
);
export type RevisionChange = Static<typeof RevisionChange>;

export const Revision = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    current: Type.Boolean({ description: 'What the next deployment takes.' }),
    ...fixed,
    created_at: Timestamp,
    created_by: nullable(Type.String(), { description: 'Id of the user or key that made it.' }),
    changes: Type.Array(RevisionChange, {
      description: 'What differs from the revision with the number before. Empty for the first.',
    }),
  },
  { title: 'Revision' },
);
export type Revision = Static<typeof Revision>;

export const secretKinds = ['generated', 'input', 'external'] as const;

export const Secret = Type.Object(
  {
    name: Type.String({ examples: ['DB_PASSWORD'] }),
    kind: choice(secretKinds, {
      description: 'generated: made by the service; input: a password input; external: must be given by the user.',
    }),
    set: Type.Boolean({ description: 'Whether there is a value. The value itself is never shown.' }),
    generator: nullable(Type.String(), { description: 'How it was generated.', examples: ['password'] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Secret' },
);
export type Secret = Static<typeof Secret>;
