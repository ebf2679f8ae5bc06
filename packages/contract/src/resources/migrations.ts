import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { migrationMachine } from '../machines/migration.ts';
import { choice, id, idParam, nullable } from '../records/fields.ts';
import { Transfer } from './transfers.ts';

export const MigrationLine = Type.Object({
  at: Timestamp,
  step: Type.String({ description: 'A step of the playbook `migrate`.' }),
  message: Type.String(),
});
export type MigrationLine = Static<typeof MigrationLine>;

export const Migration = Type.Object(
  {
    id: id('migration'),
    tenant_id: nullable(id('tenant'), { description: 'Null for the migration of a single definition.' }),
    definition_ids: Type.Array(id('definition')),
    from_server_id: id('server'),
    to_server_id: id('server'),
    status: choice(migrationMachine.states, {
      description: 'Up to `starting` it can be cancelled; from `switched` on it runs on the target.',
    }),
    reason: nullable(Type.String(), { description: 'Why it failed, in one word.' }),
    error: nullable(Type.String(), { description: 'Why it failed, for people.' }),
    downtime_ms: nullable(Type.Integer(), {
      description: 'Time from the stop until it served again, on the source or the target.',
    }),
    release_at: nullable(Timestamp, { description: 'When the data on the source is removed.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    switched_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
  },
  { title: 'Migration' },
);
export type Migration = Static<typeof Migration>;

export const MigrationDetail = Type.Object(
  {
    ...Migration.properties,
    transfers: Type.Array(Transfer),
    log: Type.Array(MigrationLine, { description: 'Oldest first.' }),
  },
  { title: 'MigrationDetail' },
);
export type MigrationDetail = Static<typeof MigrationDetail>;

const Finding = Type.Object({
  reason: Type.String({ description: 'For programs.' }),
  message: Type.String({ description: 'For people.' }),
  definition_id: nullable(id('definition')),
});
export type MigrationFinding = Static<typeof Finding>;

export const MigrationPlan = Type.Object(
  {
    from_server_id: id('server'),
    to_server_id: id('server'),
    definitions: Type.Array(
      Type.Object({
        definition_id: id('definition'),
        name: Type.String(),
        running: Type.Boolean({ description: 'A definition that was never deployed only changes its server.' }),
        volumes: Type.Array(Type.String(), { description: 'Volumes to copy, by their names in the template.' }),
        addresses: Type.Array(Type.String(), { description: 'Host names that must point to the target afterwards.' }),
      }),
    ),
    steps: Type.Array(Type.String(), { description: 'Required steps of the playbook `migrate`.' }),
    blockers: Type.Array(Finding, { description: 'Reasons for which the migration would be refused.' }),
    warnings: Type.Array(Finding),
  },
  { title: 'MigrationPlan' },
);
export type MigrationPlan = Static<typeof MigrationPlan>;

export const MigrationOrder = Type.Object(
  {
    server_id: idParam('The target server.'),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only return the plan.' })),
    ignore_capacity: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Migrate even if the reported capacity of the target is too small.',
      }),
    ),
  },
  {
    title: 'MigrationOrder',
    additionalProperties: false,
    examples: [{ server_id: 'srv_01j9zq3v5t8x2m4n6p7r9s0abc', dry_run: true }],
  },
);
export type MigrationOrder = Static<typeof MigrationOrder>;

export const MigrationAnswer = Type.Object(
  { plan: MigrationPlan, migration: nullable(Migration, { description: 'Null for a dry run.' }) },
  { title: 'MigrationAnswer' },
);
export type MigrationAnswer = Static<typeof MigrationAnswer>;

const shared = { tag: 'migrations', params: Type.Object({ id: idParam('Id of a migration.') }) } as const;
const ordered = { method: 'POST', idempotent: true, status: 202, body: MigrationOrder } as const;

export const migrationEndpoints = {
  'definitions.migrate': endpoint({
    ...ordered,
    path: '/definitions/{id}/migrate',
    tag: 'definitions',
    summary: 'Move a definition to another server',
    description:
      'Copies its volumes while it runs, stops it, copies the changes since then, and starts it on the target. Once it is healthy there, the target becomes its server. After a failure before that, it runs on the source again.',
    permission: 'definitions:write',
    params: Type.Object({ id: idParam('Id of a definition.') }),
    response: envelope(MigrationAnswer),
  }),
  'tenants.migrate': endpoint({
    ...ordered,
    path: '/tenants/{id}/migrate',
    tag: 'tenants',
    summary: 'Move a tenant to another server',
    description: 'Moves all of its definitions atomically: either all of them change their server, or none.',
    permission: 'tenants:write',
    params: Type.Object({ id: idParam('Id of a tenant.') }),
    response: envelope(MigrationAnswer),
  }),
  'migrations.list': endpoint({
    method: 'GET',
    path: '/migrations',
    tag: 'migrations',
    summary: 'List the migrations',
    permission: 'definitions:read',
    query: Type.Object({
      tenant_id: Type.Optional(idParam('Only those of this tenant.')),
      status: Type.Optional(choice(migrationMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Migration),
  }),
  'migrations.read': endpoint({
    ...shared,
    method: 'GET',
    path: '/migrations/{id}',
    summary: 'Read a migration with its transfers and its log',
    permission: 'definitions:read',
    response: envelope(MigrationDetail),
  }),
  'migrations.cancel': endpoint({
    ...shared,
    method: 'POST',
    path: '/migrations/{id}/cancel',
    summary: 'Cancel a migration',
    description: 'The definitions run on the source again. Refused once the target has taken over.',
    permission: 'definitions:write',
    status: 202,
    response: envelope(Migration),
  }),
};
