import Type, { type Static } from 'typebox';
import { endpoint, LOG_BODY_LIMIT } from '../endpoint.ts';
import { answer, list, paging, Timestamp } from '../envelope.ts';
import { choice, givenId, id, namePattern, nullable, text } from '../fields.ts';
import { importMachine } from '../machines/import.ts';
import { BackupSettings } from './backup-settings.ts';
import { InputValue } from './definition-records.ts';
import { inputName } from './definitions.ts';
import { Transfer } from './transfers.ts';

const volumeName = text(128, { description: 'The name that the template gives the volume.' });
const length = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

type Openness = { additionalProperties: false } | Record<never, never>;

/** In an answer fields may be added; what a caller sends has these and no others. */
const bundleFields = (open: Openness) => ({
  format: Type.Literal(1),
  name: text(120),
  instance_uid: Type.String({ minLength: 1, maxLength: 63, pattern: namePattern }),
  template: Type.Object(
    {
      species: text(64),
      version: text(64),
      spec_hash: Type.String({ pattern: '^sha256:[0-9a-f]{64}$', maxLength: 71 }),
      spec: Type.Record(Type.String({ pattern: '^.{1,64}$' }), Type.Unknown(), {
        ...open,
        maxProperties: 100,
        description: 'The template in its canonical form.',
      }),
    },
    open,
  ),
  revision: Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Its number where it comes from.' }),
  profile: text(64),
  variant: nullable(text(64)),
  inputs: Type.Record(inputName, InputValue, {
    ...open,
    maxProperties: 500,
    description: 'Without the password inputs.',
  }),
  watch_seconds: Type.Integer({ minimum: 0, maximum: 86_400 }),
  heal: Type.Boolean(),
  backup: Type.Object(BackupSettings.properties, open),
  secrets: Type.Array(
    Type.Object(
      {
        name: text(200),
        kind: choice(['generated', 'input', 'external']),
        value: Type.String({ maxLength: 65_536 }),
      },
      open,
    ),
    { maxItems: 500, description: 'With their values.' },
  ),
  volumes: Type.Array(Type.Object({ name: volumeName, bytes: length }, open), {
    maxItems: 100,
    description: 'What is to be put into its volumes before it is started.',
  }),
  exported_at: Type.String({ format: 'date-time', maxLength: 40 }),
});

/**
 * A definition as it travels from one Hortus to another: everything but the content of its volumes. The CLI keeps it in a file
 * together with that, sealed with a passphrase.
 */
export const Bundle = Type.Object(bundleFields({}), { title: 'Bundle' });
export type Bundle = Static<typeof Bundle>;

const strict = { additionalProperties: false } as const;

export const Export = Type.Object(
  {
    bundle: Bundle,
    backup_id: nullable(id('backup'), { description: 'Where the content of its volumes is fetched from.' }),
    warnings: Type.Array(Type.String(), { description: 'What it uses and does not take along.' }),
  },
  { title: 'Export' },
);
export type Export = Static<typeof Export>;

export const ExportOrder = Type.Object(
  {
    backup_id: Type.Optional(
      givenId('A backup of all its volumes. Needed if it has been deployed and its template has volumes.'),
    ),
  },
  {
    title: 'ExportOrder',
    additionalProperties: false,
    examples: [{ backup_id: 'bkp_01j9zq3v5t8x2m4n6p7r9s0abc' }],
  },
);
export type ExportOrder = Static<typeof ExportOrder>;

export const VolumeOrder = Type.Object(
  { volume: volumeName },
  { title: 'VolumeOrder', additionalProperties: false, examples: [{ volume: 'data' }] },
);
export type VolumeOrder = Static<typeof VolumeOrder>;

export const ImportOrder = Type.Object(
  {
    server_id: givenId('The server that it is to run on.'),
    instance_uid: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        pattern: namePattern,
        description: 'Another name than it had; also shown to people. One that is taken is refused.',
      }),
    ),
    ignore_capacity: Type.Optional(
      Type.Boolean({ default: false, description: 'Also if the server seems to have too little room.' }),
    ),
    bundle: Type.Object(bundleFields(strict), { ...strict, description: 'As it was exported.' }),
  },
  { title: 'ImportOrder', additionalProperties: false },
);
export type ImportOrder = Static<typeof ImportOrder>;

export const Import = Type.Object(
  {
    id: id('import'),
    server_id: id('server'),
    name: Type.String(),
    instance_uid: Type.String(),
    species: Type.String(),
    status: choice(importMachine.states, {
      description:
        'receiving: its volumes are being filled; there is no definition yet. completed: the definition is there and is being deployed. failed: nothing of it is left.',
    }),
    volumes: Type.Array(
      Type.Object(
        { name: volumeName, bytes: length, filled: Type.Boolean() },
        { description: 'All are to be filled.' },
      ),
    ),
    reason: nullable(Type.String(), { description: 'Why it failed, in a word.' }),
    error: nullable(Type.String(), { description: 'The same, for a person.' }),
    definition_id: nullable(id('definition'), { description: 'Once it is completed.' }),
    deployment_id: nullable(id('deployment')),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'Import' },
);
export type Import = Static<typeof Import>;

const ofImport = Type.Object({ id: givenId('Id of an import.') });

export const importEndpoints = {
  'definitions.export': endpoint({
    method: 'POST',
    path: '/definitions/{id}/export',
    tag: 'imports',
    summary: 'Take a definition out, with the values of its secrets',
    description:
      'Answers all that another Hortus needs to run it, except the content of its volumes, which is fetched from a backup of all of them. Written to the audit list. Only over TLS or on the same machine.',
    permission: 'data:export',
    errors: ['FORBIDDEN'],
    params: Type.Object({ id: givenId('Id of a definition.') }),
    body: ExportOrder,
    response: answer(Export),
  }),
  'backups.fetch': endpoint({
    method: 'POST',
    path: '/backups/{id}/fetch',
    tag: 'imports',
    summary: 'Have a volume of a backup sent to the caller',
    description:
      'Answers a transfer, whose receiving end is the caller: a WebSocket at /ws/transfer with the same key. Its content is a tar archive. Given up if the caller reports no progress for two minutes.',
    permission: 'data:export',
    idempotent: true,
    status: 201,
    params: Type.Object({ id: givenId('Id of a backup.') }),
    body: VolumeOrder,
    response: answer(Transfer),
  }),
  'definitions.import': endpoint({
    method: 'POST',
    path: '/definitions/import',
    tag: 'imports',
    summary: 'Bring a definition in that was exported elsewhere',
    description:
      'Everything is checked first, as if it were made and deployed. Then its volumes are filled, one after the other; when all are, the definition is made and deployed. A template that is not known here becomes one of the account.',
    permission: 'definitions:write',
    idempotent: true,
    status: 202,
    bodyLimit: LOG_BODY_LIMIT,
    body: ImportOrder,
    response: answer(Import),
  }),
  'imports.list': endpoint({
    method: 'GET',
    path: '/imports',
    tag: 'imports',
    summary: 'List the imports, newest first',
    permission: 'definitions:read',
    query: Type.Object({
      status: Type.Optional(choice(importMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Import),
  }),
  'imports.read': endpoint({
    method: 'GET',
    path: '/imports/{id}',
    tag: 'imports',
    summary: 'Read an import',
    permission: 'definitions:read',
    params: ofImport,
    response: answer(Import),
  }),
  'imports.fill': endpoint({
    method: 'POST',
    path: '/imports/{id}/fill',
    tag: 'imports',
    summary: 'Send the content of a volume to its server',
    description:
      'Answers a transfer, whose sending end is the caller: a WebSocket at /ws/transfer with the same key. Its content is a tar archive. The same one again if it is under way.',
    permission: 'definitions:write',
    status: 202,
    params: ofImport,
    body: VolumeOrder,
    response: answer(Transfer),
  }),
  'imports.cancel': endpoint({
    method: 'POST',
    path: '/imports/{id}/cancel',
    tag: 'imports',
    summary: 'Give an import up',
    description: 'What has come to the server is removed. One that has failed is answered as it is.',
    permission: 'definitions:write',
    params: ofImport,
    response: answer(Import),
  }),
};
