import Type, { type Static } from 'typebox';
import { nullable } from '../fields.ts';
import { DeployedImage } from './deployments.ts';

/** What a backup consists of, as the daemon that made it writes it down beside the data. Nothing in it is secret. */
export const BackupPart = Type.Object(
  {
    kind: Type.Enum(['volume', 'dump']),
    name: Type.String({
      maxLength: 128,
      description: 'The volume as the template names it, or the action that dumps.',
    }),
    file: Type.String({ maxLength: 255, description: 'Where it is, in the folder of the backup.' }),
    entries: nullable(Type.Integer({ minimum: 0 }), { description: 'Files and folders of a volume.' }),
    bytes: Type.Integer({ minimum: 0, description: 'Before compression.' }),
    stored_bytes: Type.Integer({ minimum: 0 }),
    chunks: Type.Integer({ minimum: 1 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of what is stored.' }),
  },
  { title: 'BackupPart' },
);
export type BackupPart = Static<typeof BackupPart>;

export const BackupManifest = Type.Object(
  {
    format: Type.Union([Type.Literal(1), Type.Literal(2)], {
      description: 'Of its parts: from 2 on each is sealed under a key from a salt of its own.',
    }),
    backup_id: Type.String({ maxLength: 64 }),
    instance_uid: Type.String({ maxLength: 128 }),
    definition_id: Type.String({ maxLength: 64 }),
    species: Type.String({ maxLength: 128 }),
    template_version: Type.String({ maxLength: 128 }),
    spec_hash: Type.String({ maxLength: 128 }),
    revision: Type.Integer({ minimum: 1 }),
    images: Type.Array(DeployedImage, { description: 'What ran when it was made.' }),
    taken_at: Type.String({ format: 'date-time' }),
    stopped_ms: Type.Integer({
      minimum: 0,
      description: 'For how long the application was stopped for the copies of its volumes; 0 if it was not.',
    }),
    parts: Type.Array(BackupPart, { maxItems: 200 }),
  },
  { title: 'BackupManifest' },
);
export type BackupManifest = Static<typeof BackupManifest>;
