import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { tenantMachine } from '../machines/tenant.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';

export const Tenant = Type.Object(
  {
    id: id('tenant'),
    name: Type.String(),
    slug: Type.String({ description: 'Unique among the tenants of the account that are not deleted.' }),
    server_id: id('server', { description: 'The server of all its definitions.' }),
    status: choice(tenantMachine.states, {
      description: 'pending until it is activated or one of its deployments succeeds.',
    }),
    definitions_count: Type.Integer({ description: 'Definitions that are not archived.' }),
    instances_count: Type.Integer({ description: 'Instances that are not released.' }),
    running_count: Type.Integer({ description: 'Running instances.' }),
    suspended_at: nullable(Timestamp, { description: 'When it was suspended.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Tenant' },
);
export type Tenant = Static<typeof Tenant>;

export const TenantCreate = Type.Object(
  {
    name: text(120, { description: 'Display name.' }),
    server_id: idParam('The server of its definitions.'),
    slug: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
        description: 'Lower-case letters, digits and dashes; derived from the name by default.',
      }),
    ),
  },
  {
    title: 'TenantCreate',
    additionalProperties: false,
    examples: [{ name: 'Rose Nursery', server_id: 'srv_01j9zq3v5t8x2m4n6p7r9s0abc', slug: 'rose-nursery' }],
  },
);
export type TenantCreate = Static<typeof TenantCreate>;

const params = Type.Object({ id: idParam('Id of a tenant.') });
const move = {
  method: 'PATCH',
  tag: 'tenants',
  permission: 'tenants:write',
  params,
  response: envelope(Tenant),
} as const;

export const tenantEndpoints = {
  'tenants.list': endpoint({
    method: 'GET',
    path: '/tenants',
    tag: 'tenants',
    summary: 'List the tenants',
    description: 'Deleted tenants are listed only with status=deleted.',
    permission: 'tenants:read',
    query: Type.Object({
      server_id: Type.Optional(idParam('Only those of this server.')),
      status: Type.Optional(choice(tenantMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Tenant),
  }),
  'tenants.create': endpoint({
    method: 'POST',
    path: '/tenants',
    tag: 'tenants',
    summary: 'Create a tenant on a server',
    permission: 'tenants:write',
    idempotent: true,
    status: 201,
    body: TenantCreate,
    response: envelope(Tenant),
  }),
  'tenants.read': endpoint({
    method: 'GET',
    path: '/tenants/{id}',
    tag: 'tenants',
    summary: 'Read a tenant',
    permission: 'tenants:read',
    params,
    response: envelope(Tenant),
  }),
  'tenants.suspend': endpoint({
    ...move,
    path: '/tenants/{id}/suspend',
    summary: 'Suspend a tenant',
    description:
      'Stops all of its instances, cancels its deployments and refuses new ones. Remembers which instances ran.',
  }),
  'tenants.resume': endpoint({
    ...move,
    path: '/tenants/{id}/resume',
    summary: 'Resume a suspended tenant',
    description: 'Starts the instances that ran before it was suspended.',
  }),
  'tenants.activate': endpoint({
    ...move,
    path: '/tenants/{id}/active',
    summary: 'Activate a tenant',
    description: 'A suspended tenant accepts deployments again; unlike resume, this starts no instances.',
  }),
  'tenants.delete': endpoint({
    method: 'DELETE',
    path: '/tenants/{id}',
    tag: 'tenants',
    summary: 'Delete a tenant',
    description:
      'Refused while it has definitions that are not archived, unless forced: they are then archived, their containers removed and their volumes kept.',
    permission: 'tenants:write',
    params,
    query: Type.Object({
      force: Type.Optional(Type.Boolean({ default: false, description: 'Archive its definitions first.' })),
    }),
    response: envelope(Tenant),
  }),
};
