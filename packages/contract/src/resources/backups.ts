import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, list, paging, Timestamp, topLevel } from '../envelope.ts';
import { choice, givenId, id, nullable } from '../fields.ts';
import { backupMachine } from '../machines/backup.ts';
import { Execution } from './actions.ts';
import { BackupPart } from './backup-records.ts';
import { DeployedImage } from './deployments.ts';

export const backupKinds = ['manual', 'scheduled', 'safety', 'pre_deploy'] as const;

export const Backup = Type.Object(
  {
    id: id('backup'),
    instance_id: id('instance'),
    definition_id: id('definition'),
    server_id: id('server'),
    instance_uid: Type.String(),
    kind: choice(backupKinds, {
      description: 'safety: of what a restore replaced. pre_deploy: of what a deployment was about to change.',
    }),
    status: choice(backupMachine.states),
    execution_id: id('execution', { description: 'What made it.' }),
    species: nullable(Type.String()),
    template_version: nullable(Type.String()),
    spec_hash: nullable(Type.String()),
    revision: nullable(Type.Integer({ minimum: 1 }), { description: 'What ran when it was made.' }),
    images: Type.Array(DeployedImage),
    parts: Type.Array(BackupPart),
    bytes: Type.Integer({ minimum: 0, description: 'Of all its parts, before compression.' }),
    stored_bytes: Type.Integer({ minimum: 0 }),
    stopped_ms: nullable(Type.Integer({ minimum: 0 }), {
      description: 'For how long the application was stopped for it.',
    }),
    address: nullable(Type.String(), { description: 'Where it is: a folder of the server, or a bucket.' }),
    manifest_sha256: nullable(Type.String()),
    error: nullable(Type.String()),
    last_verified: nullable(Timestamp, { description: 'When it was last proven to be good.' }),
    proof: nullable(choice(['restored', 'read']), {
      description:
        'restored: an application came up with it and passed its test. read: all of it could be read; its template does not say how to restore a dump.',
    }),
    verify_error: nullable(Type.String(), { description: 'What the last verification found wrong with it.' }),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'Backup' },
);
export type Backup = Static<typeof Backup>;

export const RestoreOrder = Type.Object(
  {
    confirm: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'The name (instance_uid) of the instance whose data is replaced.',
    }),
  },
  { title: 'RestoreOrder', additionalProperties: false, examples: [{ confirm: 'our-blog' }] },
);
export type RestoreOrder = Static<typeof RestoreOrder>;

export const BackupOrder = Type.Object(
  {
    extent: Type.Optional(
      choice(['declared', 'volumes'], {
        default: 'declared',
        description: 'declared: what the template says. volumes: all volumes as they are, as an export needs it.',
      }),
    ),
  },
  { title: 'BackupOrder', additionalProperties: false, examples: [{ extent: 'volumes' }] },
);
export type BackupOrder = Static<typeof BackupOrder>;

const ofBackup = Type.Object({ id: givenId('Id of a backup.') });
const ordered = topLevel({ execution: Execution, backup: Backup, data: Backup });

export const backupEndpoints = {
  'backups.list': endpoint({
    method: 'GET',
    path: '/backups',
    tag: 'backups',
    summary: 'List the backups, newest first',
    description: 'Deleted ones only if they are asked for by status.',
    permission: 'backups:read',
    query: Type.Object({
      instance_id: Type.Optional(givenId('Only those of this instance.')),
      definition_id: Type.Optional(givenId('Only those of instances of this definition.')),
      server_id: Type.Optional(givenId('Only those of instances on this server.')),
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
    response: answer(Backup),
  }),
  'backups.create': endpoint({
    method: 'POST',
    path: '/instances/{id}/backups',
    tag: 'backups',
    summary: 'Back up an instance',
    description:
      'As the backup section of its template says. A dump is taken while it runs; for copies of its volumes it is stopped for a moment. Answers at once; poll the backup or the execution.',
    permission: 'backups:write',
    idempotent: true,
    status: 202,
    params: Type.Object({ id: givenId('Id of an instance.') }),
    body: BackupOrder,
    response: ordered,
  }),
  'backups.verify': endpoint({
    method: 'POST',
    path: '/backups/{id}/verify',
    tag: 'backups',
    summary: 'Prove a backup',
    description:
      'Restores it into an application that is thrown away, without a way to the outside, waits until that is healthy and runs the smoke test of the template. The running instance is not touched.',
    permission: 'backups:write',
    status: 202,
    params: ofBackup,
    response: ordered,
  }),
  'backups.restore': endpoint({
    method: 'POST',
    path: '/backups/{id}/restore',
    tag: 'backups',
    summary: 'Put a backup in the place of what an instance has',
    description:
      'Everything is checked and what is there is kept as a backup of its own before anything is replaced; if it goes wrong after that, what was kept comes back.',
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
    description: 'It is `deleting` until its server has removed it. One that failed is gone at once.',
    permission: 'backups:write',
    params: ofBackup,
    response: answer(Backup),
  }),
};
