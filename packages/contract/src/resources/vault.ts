import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, list, paging, Timestamp } from '../envelope.ts';
import { choice, givenId, id, nullable } from '../fields.ts';
import { Secret } from './definition-records.ts';

export const VaultRotation = Type.Object(
  {
    rewrapped: Type.Integer({ description: 'How many data keys were wrapped anew.' }),
    fingerprint: Type.String({ description: 'Names the master key now in use, without revealing it.' }),
  },
  { title: 'VaultRotation' },
);
export type VaultRotation = Static<typeof VaultRotation>;

export const secretAccesses = ['read', 'set', 'rotated', 'exported'] as const;

export const SecretAccess = Type.Object(
  {
    id: id('event'),
    seq: Type.Integer({ description: 'Place in the audit list.' }),
    access: choice(secretAccesses, {
      description:
        'read: all values went to the daemon of the server. exported: all went to whoever took the definition out.',
    }),
    definition_id: id('definition'),
    secrets: Type.Array(Type.String(), { description: 'Names; empty for a read, which is of all of them.' }),
    revision: Type.Integer({ description: 'The revision that was read or made.' }),
    deployment_id: nullable(id('deployment'), { description: 'The deployment that a read was for.' }),
    actor: nullable(Type.String(), { description: 'Id of the user, key or server.' }),
    at: Timestamp,
  },
  { title: 'SecretAccess' },
);
export type SecretAccess = Static<typeof SecretAccess>;

export const SecretValue = Type.Object(
  { value: Type.String({ minLength: 1, maxLength: 65_536, description: 'Kept encrypted and never shown again.' }) },
  { title: 'SecretValue', additionalProperties: false, examples: [{ value: 'a long random string' }] },
);
export type SecretValue = Static<typeof SecretValue>;

export const ChangedSecrets = Type.Object(
  {
    definition_id: id('definition'),
    revision: Type.Integer({ description: 'The revision that this made; it takes effect when it is deployed.' }),
    secrets: Type.Array(Secret, { description: 'All that have a new value: tokens follow the key that signs them.' }),
  },
  { title: 'ChangedSecrets' },
);
export type ChangedSecrets = Static<typeof ChangedSecrets>;

const ofSecret = Type.Object({ id: givenId('Id of a definition.'), name: givenId('Name of a secret.') });

export const vaultEndpoints = {
  'vault.access': endpoint({
    method: 'GET',
    path: '/vault/access',
    tag: 'vault',
    summary: 'List who read or changed secrets, newest first',
    permission: 'secrets:read',
    query: Type.Object({
      definition_id: Type.Optional(givenId('Only those of this definition.')),
      access: Type.Optional(choice(secretAccesses, { description: 'Only this kind.' })),
      ...paging,
    }),
    response: list(SecretAccess),
  }),
  'vault.set': endpoint({
    method: 'PUT',
    path: '/vault/definitions/{id}/secrets/{name}',
    tag: 'vault',
    summary: 'Set a secret that the user has to give',
    description: 'An external secret or a password input. Makes a new revision.',
    permission: 'secrets:write',
    params: ofSecret,
    body: SecretValue,
    response: answer(ChangedSecrets),
  }),
  'vault.rotateSecret': endpoint({
    method: 'POST',
    path: '/vault/definitions/{id}/secrets/{name}/rotate',
    tag: 'vault',
    summary: 'Generate a secret anew',
    description: 'Makes a new revision. What runs keeps the old value until that is deployed.',
    permission: 'secrets:write',
    params: ofSecret,
    response: answer(ChangedSecrets),
  }),
  'vault.rotate': endpoint({
    method: 'POST',
    path: '/vault/rotate',
    tag: 'vault',
    summary: 'Wrap every data key with the newest master key',
    description: 'Run it after the settings name a new master key before the old one; then the old one may go.',
    permission: 'admin',
    response: answer(VaultRotation),
  }),
};
