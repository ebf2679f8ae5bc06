import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { id, idParam, nullable, text } from '../records/fields.ts';
import { InputValue } from './definition-records.ts';
import { inputChanges, inputValues } from './definitions.ts';

export const SavedConfig = Type.Object(
  {
    id: id('config'),
    name: Type.String(),
    species: Type.String({ examples: ['inkwell'] }),
    profile: nullable(Type.String(), { description: 'Null if the definition decides.' }),
    variant: nullable(Type.String(), { description: 'Null if the definition decides.' }),
    inputs: Type.Record(Type.String(), InputValue, { description: 'Without the password inputs.' }),
    secret_inputs: Type.Array(Type.Object({ name: Type.String(), has_value: Type.Boolean() }), {
      description:
        'The password inputs of the species, and whether this config has a value for each. Values are never shown.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'SavedConfig' },
);
export type SavedConfig = Static<typeof SavedConfig>;

const name = text(120, { description: 'Display name.' });
const profile = text(64, { description: 'A profile of the species.' });
const variant = text(64, { description: 'Id of an image variant of the species.' });

export const SavedConfigCreate = Type.Object(
  {
    name,
    species: text(64, { description: 'Species of the inputs.' }),
    profile: Type.Optional(profile),
    variant: Type.Optional(variant),
    inputs: inputValues('Values by input name. All are optional here; given values must be valid for the species.'),
  },
  {
    title: 'SavedConfigCreate',
    additionalProperties: false,
    examples: [
      {
        name: 'House style',
        species: 'inkwell',
        profile: 'production',
        inputs: { SITE_TITLE: 'Notes', SMTP_PASSWORD: 'a long password' },
      },
    ],
  },
);
export type SavedConfigCreate = Static<typeof SavedConfigCreate>;

export const SavedConfigUpdate = Type.Object(
  {
    name: Type.Optional(name),
    profile: Type.Optional(nullable(profile, { description: 'Null if the definition decides.' })),
    variant: Type.Optional(nullable(variant, { description: 'Null if the definition decides.' })),
    inputs: Type.Optional(
      inputChanges('Merged into the current values: null removes a value; omitted values stay, including passwords.'),
    ),
  },
  {
    title: 'SavedConfigUpdate',
    additionalProperties: false,
    examples: [{ name: 'House style', inputs: { SITE_TITLE: 'Notes', LOG_LEVEL: null } }],
  },
);
export type SavedConfigUpdate = Static<typeof SavedConfigUpdate>;

const params = Type.Object({ id: idParam('Id of a saved config.') });
const shared = { tag: 'saved-configs', params, response: envelope(SavedConfig) } as const;

export const savedConfigEndpoints = {
  'saved-configs.list': endpoint({
    method: 'GET',
    path: '/saved-configs',
    tag: 'saved-configs',
    summary: 'List the saved configs',
    permission: 'configs:read',
    query: Type.Object({ species: Type.Optional(text(64, { description: 'Only of this species.' })), ...paging }),
    response: list(SavedConfig),
  }),
  'saved-configs.create': endpoint({
    method: 'POST',
    path: '/saved-configs',
    tag: 'saved-configs',
    summary: 'Save a set of inputs under a name',
    description: 'Values of password inputs are encrypted and never shown again.',
    permission: 'configs:write',
    idempotent: true,
    status: 201,
    body: SavedConfigCreate,
    response: envelope(SavedConfig),
  }),
  'saved-configs.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/saved-configs/{id}',
    summary: 'Read a saved config',
    permission: 'configs:read',
  }),
  'saved-configs.update': endpoint({
    record: { read: 'saved-configs.read' },
    ...shared,
    method: 'PATCH',
    path: '/saved-configs/{id}',
    summary: 'Change a saved config',
    description: 'Definitions that were created from it do not change.',
    permission: 'configs:write',
    body: SavedConfigUpdate,
  }),
  'saved-configs.delete': endpoint({
    ...shared,
    method: 'DELETE',
    path: '/saved-configs/{id}',
    summary: 'Delete a saved config',
    description: 'Definitions that were created from it do not change.',
    permission: 'configs:write',
  }),
};
