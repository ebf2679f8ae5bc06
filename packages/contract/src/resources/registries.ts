import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, list, paging, Timestamp } from '../envelope.ts';
import { givenId, id, nullable, text } from '../fields.ts';

const Host = Type.String({
  pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?$',
  maxLength: 259,
  description: 'As it stands in front of an image, with its port if it has one. docker.io is that of plain names.',
  examples: ['registry.example.org', 'docker.io'],
});
const Password = Type.String({
  minLength: 1,
  maxLength: 16_384,
  description: 'Or a token. Kept encrypted and never shown; only the daemons that pull from there are given it.',
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
  { title: 'Registry', description: 'How to sign in to a registry of images. The password is never shown.' },
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

const params = Type.Object({ id: givenId('Id of a registry.') });

export const registryEndpoints = {
  'registries.list': endpoint({
    method: 'GET',
    path: '/registries',
    tag: 'registries',
    summary: 'List the registries that the account can sign in to',
    permission: 'registries:read',
    query: Type.Object({ ...paging }),
    response: list(Registry),
  }),
  'registries.create': endpoint({
    method: 'POST',
    path: '/registries',
    tag: 'registries',
    summary: 'Keep a name and a password for a registry',
    description: 'Used from the next deployment on. There is one for each host.',
    permission: 'registries:write',
    idempotent: true,
    status: 201,
    body: RegistryCreate,
    response: answer(Registry),
  }),
  'registries.read': endpoint({
    method: 'GET',
    path: '/registries/{id}',
    tag: 'registries',
    summary: 'Read a registry',
    permission: 'registries:read',
    params,
    response: answer(Registry),
  }),
  'registries.update': endpoint({
    record: { read: 'registries.read' },
    method: 'PUT',
    path: '/registries/{id}',
    tag: 'registries',
    summary: 'Change the name or the password for a registry',
    description: 'What is left out stays as it is.',
    permission: 'registries:write',
    params,
    body: RegistryUpdate,
    response: answer(Registry),
  }),
  'registries.delete': endpoint({
    method: 'DELETE',
    path: '/registries/{id}',
    tag: 'registries',
    summary: 'Forget a registry',
    description: 'What was pulled stays on its servers.',
    permission: 'registries:write',
    params,
    response: answer(Registry),
  }),
};
