import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, envelopeOnce, list, paging, Timestamp } from '../envelope.ts';
import { permissionNames } from '../permissions.ts';
import { choice, id, idParam, nullable, shownOnce, text } from '../records/fields.ts';

export const ApiKey = Type.Object(
  {
    id: id('key'),
    name: Type.String(),
    prefix: Type.String({
      description: 'First characters of the key, to identify it.',
      examples: ['hk_live_3f9a'],
    }),
    permissions: Type.Array(Type.String()),
    expires_at: nullable(Timestamp, { description: 'Null if it never expires.' }),
    allowed_cidrs: Type.Array(Type.String(), {
      description: 'Networks from which the key is accepted; empty if from everywhere.',
    }),
    last_used_at: nullable(Timestamp, { description: 'May be up to a minute old.' }),
    created_at: Timestamp,
    created_by: nullable(Type.String(), { description: 'Id of the user or key that created it.' }),
    revoked_at: nullable(Timestamp),
  },
  { title: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

export const CreatedApiKey = Type.Object(
  {
    ...ApiKey.properties,
    key: shownOnce({
      description: 'The key. Shown only once; store it.',
      replacement: 'Revoke this key and create a new one.',
    }),
  },
  { title: 'CreatedApiKey' },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const KeyCreate = Type.Object(
  {
    name: text(120),
    permissions: Type.Array(choice(permissionNames), {
      minItems: 1,
      maxItems: 64,
      uniqueItems: true,
      description: 'A subset of the permissions of the caller.',
    }),
    expires_at: Type.Optional(
      nullable(Timestamp, {
        description:
          'In the future, and not later than the expiry of the creating key. Defaults to that expiry; null means never.',
      }),
    ),
    allowed_cidrs: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 49 }), {
        maxItems: 64,
        description:
          'IPv4 or IPv6 networks from which the key is accepted, each within a network of the creating key. Defaults to the networks of that key; empty means from everywhere.',
      }),
    ),
  },
  {
    title: 'KeyCreate',
    additionalProperties: false,
    examples: [
      {
        name: 'ci',
        permissions: ['templates:read', 'definitions:write'],
        expires_at: '2030-01-01T00:00:00.000Z',
        allowed_cidrs: ['192.0.2.0/24'],
      },
    ],
  },
);
export type KeyCreate = Static<typeof KeyCreate>;

const PermissionRecord = Type.Object(
  {
    name: choice(permissionNames),
    description: Type.String(),
    granted: Type.Boolean({ description: 'Whether the caller has it.' }),
  },
  { title: 'PermissionRecord' },
);

export const keyEndpoints = {
  'keys.permissions': endpoint({
    method: 'GET',
    path: '/permissions',
    tag: 'keys',
    summary: 'List the permissions of API keys',
    permission: 'session',
    query: Type.Object({ ...paging }),
    response: list(PermissionRecord),
  }),
  'keys.list': endpoint({
    method: 'GET',
    path: '/account/keys',
    tag: 'keys',
    summary: 'List the API keys of the account',
    permission: 'account:read',
    query: Type.Object({ ...paging }),
    response: list(ApiKey),
  }),
  'keys.create': endpoint({
    method: 'POST',
    path: '/account/keys',
    tag: 'keys',
    summary: 'Create an API key',
    permission: 'account:write',
    idempotent: true,
    status: 201,
    body: KeyCreate,
    response: envelopeOnce(CreatedApiKey),
  }),
  'keys.revoke': endpoint({
    method: 'DELETE',
    path: '/account/keys/{id}',
    tag: 'keys',
    summary: 'Revoke an API key',
    description:
      'The key stops working at once; its record stays in the list. The caller must have the permissions of the key, and limits no narrower than those of the key.',
    permission: 'account:write',
    params: Type.Object({ id: idParam('Id of an API key.') }),
    response: envelope(ApiKey),
  }),
};
