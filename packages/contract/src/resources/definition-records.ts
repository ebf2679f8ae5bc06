import Type, { type Static } from 'typebox';
import { Timestamp } from '../envelope.ts';
import { definitionMachine } from '../machines/definition.ts';
import { choice, id, nullable } from '../records/fields.ts';
import { ShownOverrides } from '../template/overrides.ts';
import { BackupSettings } from './backup-settings.ts';

const specHash = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' });

export const InputValue = Type.Union([Type.String({ maxLength: 65_536 }), Type.Number(), Type.Boolean()], {
  title: 'InputValue',
});
export type InputValue = Static<typeof InputValue>;

export const Binding = Type.Object(
  {
    instance: Type.Optional(Type.String({ description: 'instance_uid of the definition that meets the need.' })),
    definition_id: Type.Optional(id('definition', { description: 'Id of that definition.' })),
    connection: Type.Optional(id('connection', { description: 'Id of the saved connection that meets the need.' })),
  },
  { title: 'Binding', description: 'What meets a need: an instance or a saved connection.' },
);
export type Binding = Static<typeof Binding>;

/** Fields of a revision; a definition shows those of its current revision. */
const fixed = {
  template_id: id('template'),
  spec_hash: specHash,
  profile: Type.String({ examples: ['development'] }),
  variant: nullable(Type.String(), { description: 'Image variant; null is the default variant.' }),
  inputs: Type.Record(Type.String(), InputValue, { description: 'Without the password inputs.' }),
  secret_inputs: Type.Array(Type.String(), { description: 'Names of the password inputs that are set.' }),
  bindings: Type.Record(Type.String(), Binding, { description: 'By the name of the need; unbound needs are omitted.' }),
  overrides: Type.Optional(ShownOverrides),
};

export const Definition = Type.Object(
  {
    id: id('definition'),
    name: Type.String(),
    instance_uid: Type.String({
      description: 'Unique among the definitions of the account that are not archived.',
    }),
    species: Type.String(),
    family: Type.String({ description: 'Family of the species.' }),
    template_version: Type.String(),
    ...fixed,
    server_id: id('server'),
    tenant_id: nullable(id('tenant'), { description: 'Tenant of the definition, if any.' }),
    status: choice(definitionMachine.states),
    current_revision: Type.Integer({ minimum: 1 }),
    container_name: Type.String({
      description:
        'Name of the main container on its server, and prefix of the names of its networks and volumes. The instance_uid, with a suffix if an earlier definition used that name.',
    }),
    watch_seconds: Type.Integer({
      description:
        'Seconds after a deployment during which the daemon rolls back if the new revision becomes unhealthy; 0 disables this.',
    }),
    backup: BackupSettings,
    deploy_test: Type.Boolean({
      description: 'Created for a deploy test of a template; omitted from lists, and archived after the test.',
    }),
    copy_of: nullable(id('definition'), {
      description:
        'The definition that it is an isolated copy of, for a rehearsal or a clone; omitted from lists, and archived after it.',
    }),
    heal: Type.Boolean({
      description: 'Whether drift is repaired automatically, by deploying again.',
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
      description: 'template_id, profile, variant, inputs.NAME, secrets.NAME, bindings.NEED or overrides.COMPONENT.',
      examples: ['inputs.SITE_TITLE'],
    }),
    change: choice(['added', 'removed', 'changed']),
    before: Type.Optional(nullable(InputValue, { description: 'Omitted for secrets.' })),
    after: Type.Optional(nullable(InputValue, { description: 'Omitted for secrets.' })),
  },
  { title: 'RevisionChange' },
);
export type RevisionChange = Static<typeof RevisionChange>;

export const Revision = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    current: Type.Boolean({ description: 'Whether the next deployment uses it.' }),
    ...fixed,
    created_at: Timestamp,
    created_by: nullable(Type.String(), { description: 'Id of the user or key that created it.' }),
    changes: Type.Array(RevisionChange, {
      description: 'Changes since the previous revision. Empty for the first.',
    }),
  },
  { title: 'Revision' },
);
export type Revision = Static<typeof Revision>;

const secretKinds = ['generated', 'input', 'external'] as const;

export const Secret = Type.Object(
  {
    name: Type.String({ examples: ['DB_PASSWORD'] }),
    kind: choice(secretKinds, {
      description: 'generated: created by the service; input: a password input; external: must be set by the user.',
    }),
    set: Type.Boolean({ description: 'Whether it has a value. The value itself is not listed.' }),
    generator: nullable(Type.String(), { description: 'How it was generated.', examples: ['password'] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Secret' },
);
export type Secret = Static<typeof Secret>;
