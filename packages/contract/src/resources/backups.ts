import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp, topLevel } from '../envelope.ts';
import { backupMachine } from '../machines/backup.ts';
import { choice, id, idParam, nullable } from '../records/fields.ts';
import { Execution } from './actions.ts';
import { BackupPart } from './backup-records.ts';
import { DeployedImage } from './deployment-records.ts';

const backupKinds = ['manual', 'scheduled', 'safety', 'pre_deploy'] as const;

export const Backup = Type.Object(
  {
    id: id('backup'),
    instance_id: id('instance'),
    definition_id: id('definition'),
    server_id: id('server'),
    instance_uid: Type.String(),
    kind: choice(backupKinds, {
      description: 'safety: made by a restore of the data that it replaces. pre_deploy: made before a deployment.',
    }),
    status: choice(backupMachine.states),
    execution_id: id('execution', { description: 'The execution that made it.' }),
    species: nullable(Type.String()),
    template_version: nullable(Type.String()),
    spec_hash: nullable(Type.String()),
    revision: nullable(Type.Integer({ minimum: 1 }), { description: 'Revision that ran when the backup was made.' }),
    images: Type.Array(DeployedImage),
    parts: Type.Array(BackupPart),
    bytes: Type.Integer({ minimum: 0, description: 'Size of all parts before compression.' }),
    stored_bytes: Type.Integer({ minimum: 0 }),
    stopped_ms: nullable(Type.Integer({ minimum: 0 }), {
      description: 'Downtime of the application caused by the backup.',
    }),
    address: nullable(Type.String(), { description: 'Where it is stored: a folder of the server, or a bucket.' }),
    manifest_sha256: nullable(Type.String()),
    error: nullable(Type.String()),
    last_verified: nullable(Timestamp, { description: 'Time of the last successful verification.' }),
    proof: nullable(choice(['restored', 'read']), {
      description:
        'restored: a temporary application ran with it and passed its smoke test. read: all of it could be read; the template does not declare how to restore a dump.',
    }),
    verify_error: nullable(Type.String(), { description: 'Error of the last verification.' }),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'Backup' },
);
export type Backup = Static<typeof Backup>;

const RestoreInto = choice(['empty', 'running'], {
  description:
    'empty: everything stops, the volumes that the dump rebuilds are emptied, the database reads the dump, and the rest starts afterwards. running: the application reads it as it runs, and newer data may stay.',
});

export const RestorePlan = Type.Object(
  {
    backup_id: id('backup'),
    instance_id: id('instance'),
    instance_uid: Type.String(),
    into: nullable(RestoreInto, { description: 'Where the dump is read; null if the backup has none.' }),
    reason: nullable(Type.String(), { description: 'Why `into` is running.' }),
    stops: Type.Array(Type.String(), {
      description: 'Components that are stopped while the data is replaced; they start again afterwards.',
    }),
    starts_first: Type.Array(Type.String(), { description: 'Components that run alone while the dump is read.' }),
    replaces: Type.Array(Type.String(), { description: 'Volumes that are replaced by their copies.' }),
    empties: Type.Array(Type.String(), { description: 'Volumes that are emptied and rebuilt from the dump.' }),
    keeps: Type.Array(Type.String(), { description: 'Volumes that stay as they are.' }),
    warnings: Type.Array(Type.String()),
    summary: Type.String({ description: 'What happens, for the person who confirms it.' }),
  },
  { title: 'RestorePlan' },
);
export type RestorePlan = Static<typeof RestorePlan>;

export const RestoreOrder = Type.Object(
  {
    confirm: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'The name (instance_uid) of the instance whose data is replaced.',
    }),
    into: Type.Optional(
      choice(['empty', 'running'], {
        description: 'Where the dump is read, if not as the template says: in an emptied database, or as it runs.',
      }),
    ),
  },
  { title: 'RestoreOrder', additionalProperties: false, examples: [{ confirm: 'our-blog' }] },
);
export type RestoreOrder = Static<typeof RestoreOrder>;

export const BackupOrder = Type.Object(
  {
    extent: Type.Optional(
      choice(['declared', 'volumes'], {
        default: 'declared',
        description: 'declared: as the template declares. volumes: copies of all volumes, as an export needs them.',
      }),
    ),
  },
  { title: 'BackupOrder', additionalProperties: false, examples: [{ extent: 'volumes' }] },
);
export type BackupOrder = Static<typeof BackupOrder>;

const ofBackup = Type.Object({ id: idParam('Id of a backup.') });
const ordered = topLevel({ execution: Execution, backup: Backup, data: Backup });

export const backupEndpoints = {
  'backups.list': endpoint({
    method: 'GET',
    path: '/backups',
    tag: 'backups',
    summary: 'List the backups, newest first',
    description: 'Deleted backups are listed only with status=deleted.',
    permission: 'backups:read',
    query: Type.Object({
      instance_id: Type.Optional(idParam('Only those of this instance.')),
      definition_id: Type.Optional(idParam('Only those of instances of this definition.')),
      server_id: Type.Optional(idParam('Only those of instances on this server.')),
      kind: Type.Optional(choice(backupKinds, { description: 'Only those made for this reason.' })),
      status: Type.Optional(choice(backupMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Backup),
  }),
  'backups.read': endpoint({
    method: 'GET',
    path: '/backups/{id}',
    tag: 'backups',
    summary: 'Read a backup',
    permission: 'backups:read',
    params: ofBackup,
    response: envelope(Backup),
  }),
  'backups.create': endpoint({
    method: 'POST',
    path: '/instances/{id}/backups',
    tag: 'backups',
    summary: 'Back up an instance',
    description:
      'As declared in the backup section of its template. A dump is taken while the instance runs; for copies of volumes it is stopped briefly. Answers at once; poll the backup or the execution.',
    permission: 'backups:write',
    idempotent: true,
    status: 202,
    params: Type.Object({ id: idParam('Id of an instance.') }),
    body: BackupOrder,
    response: ordered,
  }),
  'backups.verify': endpoint({
    method: 'POST',
    path: '/backups/{id}/verify',
    tag: 'backups',
    summary: 'Verify a backup',
    description:
      'Restores it into a temporary application without outside network access, waits until that is healthy and runs the smoke test of the template. The running instance is not touched.',
    permission: 'backups:write',
    status: 202,
    params: ofBackup,
    response: ordered,
  }),
  'backups.planRestore': endpoint({
    method: 'GET',
    path: '/backups/{id}/restore',
    tag: 'backups',
    summary: 'Show what a restore would do',
    description: 'Which components it stops, which volumes it replaces, empties and keeps, and where a dump is read.',
    permission: 'backups:read',
    params: ofBackup,
    query: Type.Object({
      into: Type.Optional(choice(['empty', 'running'], { description: 'As `into` of the restore.' })),
    }),
    response: envelope(RestorePlan),
  }),
  'backups.restore': endpoint({
    method: 'POST',
    path: '/backups/{id}/restore',
    tag: 'backups',
    summary: 'Restore a backup into its instance',
    description:
      'Before anything is replaced, the backup is checked and the present data is saved as a safety backup. If the restore fails after that, the safety backup is restored.',
    permission: 'backups:restore',
    idempotent: true,
    status: 202,
    params: ofBackup,
    body: RestoreOrder,
    response: ordered,
  }),
  'backups.delete': endpoint({
    method: 'DELETE',
    path: '/backups/{id}',
    tag: 'backups',
    summary: 'Delete a backup',
    description: 'The backup is `deleting` until its server has removed it. A failed backup is deleted at once.',
    permission: 'backups:write',
    params: ofBackup,
    response: envelope(Backup),
  }),
};
