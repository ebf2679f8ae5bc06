import Type, { type Static } from 'typebox';
import { nullable } from '../records/fields.ts';
import { DeployedImage } from './deployment-records.ts';

/** Contents of a backup, as the daemon writes them beside the data. Contains no secrets. */
export const BackupPart = Type.Object(
  {
    kind: Type.Enum(['volume', 'dump']),
    name: Type.String({
      maxLength: 128,
      description: 'Name of the volume in the template, or of the dump action.',
    }),
    file: Type.String({ maxLength: 255, description: 'File name in the folder of the backup.' }),
    entries: nullable(Type.Integer({ minimum: 0 }), { description: 'Number of files and folders of a volume.' }),
    bytes: Type.Integer({ minimum: 0, description: 'Before compression.' }),
    stored_bytes: Type.Integer({ minimum: 0 }),
    chunks: Type.Integer({ minimum: 1 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Checksum of the stored bytes.' }),
  },
  { title: 'BackupPart' },
);
export type BackupPart = Static<typeof BackupPart>;

export const BackupManifest = Type.Object(
  {
    format: Type.Union([Type.Literal(1), Type.Literal(2)], {
      description: 'Format of its parts: from 2 on each part is sealed with a key derived from its own salt.',
    }),
    backup_id: Type.String({ maxLength: 64 }),
    instance_uid: Type.String({ maxLength: 128 }),
    definition_id: Type.String({ maxLength: 64 }),
    species: Type.String({ maxLength: 128 }),
    template_version: Type.String({ maxLength: 128 }),
    spec_hash: Type.String({ maxLength: 128 }),
    revision: Type.Integer({ minimum: 1 }),
    images: Type.Array(DeployedImage, { description: 'Images that ran when the backup was made.' }),
    taken_at: Type.String({ format: 'date-time' }),
    stopped_ms: Type.Integer({
      minimum: 0,
      description: 'Downtime of the application while its volumes were copied; 0 if there was none.',
    }),
    parts: Type.Array(BackupPart, { maxItems: 200 }),
  },
  { title: 'BackupManifest' },
);
export type BackupManifest = Static<typeof BackupManifest>;
