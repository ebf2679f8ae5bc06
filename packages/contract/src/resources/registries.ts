import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { id, idParam, nullable, text } from '../records/fields.ts';

const Host = Type.String({
  pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?$',
  maxLength: 259,
  description: 'Host of image references, with its port if there is one. Names without a host belong to docker.io.',
  examples: ['registry.example.org', 'docker.io'],
});
const Password = Type.String({
  minLength: 1,
  maxLength: 16_384,
  description:
    'Password or token. Stored encrypted and never shown; only daemons that pull from the registry receive it.',
});

export const Registry = Type.Object(
  {
    id: id('registry'),
    host: Type.String(),
    username: Type.String(),
    created_by: nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Registry', description: 'Credentials for an image registry. The password is never shown.' },
);
export type Registry = Static<typeof Registry>;

export const RegistryCreate = Type.Object(
  { host: Host, username: text(255), password: Password },
  {
    title: 'RegistryCreate',
    additionalProperties: false,
    examples: [{ host: 'registry.example.org', username: 'gardener', password: 'a token of the registry' }],
  },
);
export type RegistryCreate = Static<typeof RegistryCreate>;

export const RegistryUpdate = Type.Object(
  { username: Type.Optional(text(255)), password: Type.Optional(Password) },
  { title: 'RegistryUpdate', additionalProperties: false },
);
export type RegistryUpdate = Static<typeof RegistryUpdate>;

const params = Type.Object({ id: idParam('Id of a registry.') });

export const registryEndpoints = {
  'registries.list': endpoint({
    method: 'GET',
    path: '/registries',
    tag: 'registries',
    summary: 'List the registries of the account',
    permission: 'registries:read',
    query: Type.Object({ ...paging }),
    response: list(Registry),
  }),
  'registries.create': endpoint({
    method: 'POST',
    path: '/registries',
    tag: 'registries',
    summary: 'Add credentials for a registry',
    description: 'Used from the next deployment on. One per host.',
    permission: 'registries:write',
    idempotent: true,
    status: 201,
    body: RegistryCreate,
    response: envelope(Registry),
  }),
  'registries.read': endpoint({
    method: 'GET',
    path: '/registries/{id}',
    tag: 'registries',
    summary: 'Read a registry',
    permission: 'registries:read',
    params,
    response: envelope(Registry),
  }),
  'registries.update': endpoint({
    record: { read: 'registries.read' },
    method: 'PUT',
    path: '/registries/{id}',
    tag: 'registries',
    summary: 'Change the credentials for a registry',
    description: 'Omitted fields keep their values.',
    permission: 'registries:write',
    params,
    body: RegistryUpdate,
    response: envelope(Registry),
  }),
  'registries.delete': endpoint({
    method: 'DELETE',
    path: '/registries/{id}',
    tag: 'registries',
    summary: 'Remove a registry',
    description: 'Pulled images stay on the servers.',
    permission: 'registries:write',
    params,
    response: envelope(Registry),
  }),
};
