import Type, { type Static } from 'typebox';
import { endpoint, LOG_BODY_LIMIT } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { importMachine } from '../machines/import.ts';
import { choice, id, idParam, namePattern, nullable, text } from '../records/fields.ts';
import { BackupSettings } from './backup-settings.ts';
import { InputValue } from './definition-records.ts';
import { inputName } from './definitions.ts';
import { Transfer } from './transfers.ts';

const volumeName = text(128, { description: 'The name that the template gives the volume.' });
const length = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

type Openness = { additionalProperties: false } | Record<never, never>;

/** Fields of a bundle. Answers may gain fields; requests must not have unknown ones. */
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
  revision: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'Number of the revision in the source installation.',
  }),
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
    description: 'Volumes to fill before the definition is deployed.',
  }),
  exported_at: Type.String({ format: 'date-time', maxLength: 40 }),
});

/**
 * A definition for transport between installations: everything except the content of its volumes. The CLI stores both
 * in one file, sealed with a passphrase.
 */
export const Bundle = Type.Object(bundleFields({}), { title: 'Bundle' });
export type Bundle = Static<typeof Bundle>;

const strict = { additionalProperties: false } as const;

export const Export = Type.Object(
  {
    bundle: Bundle,
    backup_id: nullable(id('backup'), { description: 'The backup from which the volumes are fetched.' }),
    warnings: Type.Array(Type.String(), { description: 'Things that the definition uses and that are not exported.' }),
  },
  { title: 'Export' },
);
export type Export = Static<typeof Export>;

export const ExportOrder = Type.Object(
  {
    backup_id: Type.Optional(
      idParam('A backup of all its volumes. Required if the definition was deployed and its template has volumes.'),
    ),
  },
  {
    title: 'ExportOrder',
    additionalProperties: false,
    examples: [{ backup_id: 'bkp_01j9zq3v5t8x2m4n6p7r9s0abc' }],
  },
);
export type ExportOrder = Static<typeof ExportOrder>;

const VolumeOrder = Type.Object(
  { volume: volumeName },
  { title: 'VolumeOrder', additionalProperties: false, examples: [{ volume: 'data' }] },
);

export const ImportOrder = Type.Object(
  {
    server_id: idParam('The server to run on.'),
    instance_uid: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        pattern: namePattern,
        description: 'A new name, also used as display name. Refused if it is in use.',
      }),
    ),
    ignore_capacity: Type.Optional(
      Type.Boolean({ default: false, description: 'Import even if the reported capacity of the server is too small.' }),
    ),
    bundle: Type.Object(bundleFields(strict), { ...strict, description: 'The exported bundle.' }),
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
        'receiving: its volumes are being filled; the definition does not exist yet. completed: the definition was created and is being deployed. failed: everything was removed.',
    }),
    volumes: Type.Array(
      Type.Object(
        { name: volumeName, bytes: length, filled: Type.Boolean() },
        { description: 'All volumes must be filled.' },
      ),
    ),
    reason: nullable(Type.String(), { description: 'Why it failed, in one word.' }),
    error: nullable(Type.String(), { description: 'Why it failed, for people.' }),
    definition_id: nullable(id('definition'), { description: 'Set when the import is completed.' }),
    deployment_id: nullable(id('deployment')),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'Import' },
);
export type Import = Static<typeof Import>;

const ofImport = Type.Object({ id: idParam('Id of an import.') });

export const importEndpoints = {
  'definitions.export': endpoint({
    method: 'POST',
    path: '/definitions/{id}/export',
    tag: 'imports',
    summary: 'Export a definition with the values of its secrets',
    description:
      'Returns everything that another installation needs to run it, except the content of its volumes, which is fetched from a backup. Recorded in the audit log. Only over TLS or loopback.',
    permission: 'data:export',
    errors: ['FORBIDDEN'],
    params: Type.Object({ id: idParam('Id of a definition.') }),
    body: ExportOrder,
    response: envelope(Export),
  }),
  'backups.fetch': endpoint({
    method: 'POST',
    path: '/backups/{id}/fetch',
    tag: 'imports',
    summary: 'Download a volume of a backup',
    description:
      'Returns a transfer; the caller receives it at /ws/transfer (`Upgrade: hortus-transfer/2`) with the same key, as a tar archive. Fails if the caller reports no progress for two minutes.',
    permission: 'data:export',
    idempotent: true,
    status: 201,
    params: Type.Object({ id: idParam('Id of a backup.') }),
    body: VolumeOrder,
    response: envelope(Transfer),
  }),
  'definitions.import': endpoint({
    method: 'POST',
    path: '/definitions/import',
    tag: 'imports',
    summary: 'Import an exported definition',
    description:
      'Everything is checked first, as for a new definition and its deployment. Then the volumes are filled one by one; after that the definition is created and deployed. An unknown template becomes a template of the account.',
    permission: 'definitions:write',
    idempotent: true,
    status: 202,
    bodyLimit: LOG_BODY_LIMIT,
    body: ImportOrder,
    response: envelope(Import),
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
    response: envelope(Import),
  }),
  'imports.fill': endpoint({
    method: 'POST',
    path: '/imports/{id}/fill',
    tag: 'imports',
    summary: 'Upload the content of a volume',
    description:
      'Returns a transfer; the caller sends it at /ws/transfer (`Upgrade: hortus-transfer/2`) with the same key, as a tar archive. Repeated, it returns the transfer in progress.',
    permission: 'definitions:write',
    status: 202,
    params: ofImport,
    body: VolumeOrder,
    response: envelope(Transfer),
  }),
  'imports.cancel': endpoint({
    method: 'POST',
    path: '/imports/{id}/cancel',
    tag: 'imports',
    summary: 'Cancel an import',
    description: 'Removes everything that was transferred to the server. A failed import is returned unchanged.',
    permission: 'definitions:write',
    params: ofImport,
    response: envelope(Import),
  }),
};
