import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { rehearsalMachine } from '../machines/rehearsal.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';
import { InputValue } from '../template/inputs.ts';

const rehearsalKinds = ['upgrade', 'clone'] as const;

const rehearsalFailures = [
  'backup',
  'restore',
  'deployment',
  'smoke',
  'refused',
  'timeout',
  'cancelled',
  'server_removed',
] as const;

const duration = (description: string) => nullable(Type.Integer({ minimum: 0 }), { description });

export const Rehearsal = Type.Object(
  {
    id: id('rehearsal'),
    kind: choice(rehearsalKinds, { description: 'clone: the copy is kept until keep_until.' }),
    instance_id: id('instance', { description: 'The instance that was copied.' }),
    instance_name: Type.String(),
    definition_id: id('definition'),
    server_id: id('server'),
    upgrade_id: nullable(id('upgrade')),
    from_version: Type.String({ description: 'Version of the template that the instance runs.' }),
    to_version: Type.String({ description: 'Version that the copy was changed to; the same for a clone.' }),
    status: choice(rehearsalMachine.states),
    reason: nullable(choice(rehearsalFailures), { description: 'What failed, in one word.' }),
    error: nullable(Type.String(), { description: 'What failed, for people.' }),
    last_lines: Type.Array(Type.String(), {
      description: 'Last lines of the container or job of the copy that failed; secrets are hidden.',
    }),
    output: nullable(Type.String(), { description: 'Output of the smoke test.' }),
    backup_id: nullable(id('backup'), { description: 'The restored backup; null if the instance has no volumes.' }),
    data_bytes: Type.Integer({ minimum: 0, description: 'Size of the restored data.' }),
    durations_ms: Type.Object({
      backup: duration('Time for a fresh backup; null if an existing one was used.'),
      restore: duration('Time to restore the data and start the running version with it.'),
      apply: duration('Time to apply the change, with its jobs, until healthy.'),
      test: duration('Time of the smoke test.'),
    }),
    copy_definition_id: id('definition', { description: 'The copy, which is in no list.' }),
    copy_instance_id: id('instance', { description: 'Its instance, for logs, shells and actions.' }),
    restore_deployment_id: nullable(id('deployment'), { description: 'The deployment of the running version.' }),
    change_deployment_id: nullable(id('deployment'), { description: 'The deployment of the change.' }),
    keep_until: nullable(Timestamp, { description: 'When the copy of a clone is removed.' }),
    removed: Type.Boolean({ description: 'Whether nothing of the copy is left on the server.' }),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { title: 'Rehearsal', description: 'A change that was tried on an isolated copy of an instance.' },
);
export type Rehearsal = Static<typeof Rehearsal>;

export const freshBackup = {
  fresh_backup: Type.Optional(
    Type.Boolean({
      description:
        'Make a new backup instead of using the newest one of the running revision. The application is stopped while its volumes are copied, unless its template declares only a dump.',
    }),
  ),
};

export const CloneOrder = Type.Object(
  {
    inputs: Type.Optional(
      Type.Record(Type.String({ pattern: '^.{1,128}$' }), nullable(InputValue), {
        additionalProperties: false,
        maxProperties: 500,
        description: 'Changed inputs; null removes a value.',
      }),
    ),
    profile: Type.Optional(text(63, { description: 'Another profile.' })),
    variant: Type.Optional(nullable(text(63), { description: 'Another variant; null is the default variant.' })),
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_440, default: 60, description: 'How long the copy is kept.' }),
    ),
    ignore_capacity: Type.Optional(
      Type.Boolean({ description: 'Deploy even if the reported capacity of the server is too small.' }),
    ),
    ...freshBackup,
  },
  { title: 'CloneOrder', additionalProperties: false, examples: [{}] },
);
export type CloneOrder = Static<typeof CloneOrder>;

const params = Type.Object({ id: idParam('Id of a rehearsal.') });

export const rehearsalEndpoints = {
  'rehearsals.list': endpoint({
    method: 'GET',
    path: '/rehearsals',
    tag: 'rehearsals',
    summary: 'List rehearsals and clones, newest first',
    permission: 'deployments:read',
    query: Type.Object({
      instance_id: Type.Optional(idParam('Only those of this instance.')),
      upgrade_id: Type.Optional(idParam('Only those of this upgrade.')),
      kind: Type.Optional(choice(rehearsalKinds, { description: 'Only those of this kind.' })),
      status: Type.Optional(choice(rehearsalMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Rehearsal),
  }),
  'rehearsals.read': endpoint({
    method: 'GET',
    path: '/rehearsals/{id}',
    tag: 'rehearsals',
    summary: 'Read a rehearsal or a clone',
    permission: 'deployments:read',
    params,
    response: envelope(Rehearsal),
  }),
  'rehearsals.clone': endpoint({
    method: 'POST',
    path: '/instances/{id}/clone',
    tag: 'rehearsals',
    summary: 'Make an isolated copy of an instance with its data',
    description:
      'Restores the newest backup of the running revision into a copy on the same server, applies the given changes there, and keeps the copy for an hour. It has no routes, no schedules and no network connection to the outside; look at it with the logs, shell and actions of copy_instance_id. If the changes fail, the copy is kept as well. Changes need definitions:write too.',
    permission: 'deployments:execute',
    status: 202,
    params: Type.Object({ id: idParam('Id of an instance.') }),
    body: CloneOrder,
    response: envelope(Rehearsal),
  }),
  'rehearsals.remove': endpoint({
    method: 'DELETE',
    path: '/rehearsals/{id}',
    tag: 'rehearsals',
    summary: 'Remove the copy of a clone now, or cancel a rehearsal',
    description: 'The record stays; it says when the copy is gone. Idempotent.',
    permission: 'deployments:execute',
    params,
    response: envelope(Rehearsal),
  }),
};
