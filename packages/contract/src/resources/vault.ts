import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { choice, id, idParam, nullable } from '../records/fields.ts';
import { Secret } from './definition-records.ts';

export const VaultRotation = Type.Object(
  {
    rewrapped: Type.Integer({ description: 'Number of data keys that were wrapped again.' }),
    fingerprint: Type.String({ description: 'Identifies the current master key without revealing it.' }),
  },
  { title: 'VaultRotation' },
);
export type VaultRotation = Static<typeof VaultRotation>;

const secretAccesses = ['read', 'set', 'rotated', 'exported', 'revealed'] as const;

export const SecretAccess = Type.Object(
  {
    id: id('event'),
    seq: Type.Integer({ description: 'Position in the audit log.' }),
    access: choice(secretAccesses, {
      description:
        'read: all values were sent to the daemon of the server. exported: all values were sent to the caller that exported the definition. revealed: the value was shown to the caller.',
    }),
    definition_id: id('definition'),
    secrets: Type.Array(Type.String(), {
      description: 'Names of the secrets; empty for a read, which covers all of them.',
    }),
    revision: Type.Integer({ description: 'The revision that was read or created.' }),
    deployment_id: nullable(id('deployment'), { description: 'The deployment for which the secrets were read.' }),
    actor: nullable(Type.String(), { description: 'Id of the user, key or server.' }),
    at: Timestamp,
  },
  { title: 'SecretAccess' },
);
export type SecretAccess = Static<typeof SecretAccess>;

const SecretValue = Type.Object(
  { value: Type.String({ minLength: 1, maxLength: 65_536, description: 'Stored encrypted and never shown again.' }) },
  { title: 'SecretValue', additionalProperties: false, examples: [{ value: 'a long random string' }] },
);

export const RevealedSecret = Type.Object(
  { name: Type.String({ examples: ['ADMIN_PASSWORD'] }), value: Type.String() },
  { title: 'RevealedSecret' },
);
export type RevealedSecret = Static<typeof RevealedSecret>;

export const ChangedSecrets = Type.Object(
  {
    definition_id: id('definition'),
    revision: Type.Integer({ description: 'The new revision; it takes effect when it is deployed.' }),
    secrets: Type.Array(Secret, {
      description: 'All secrets with a new value; tokens change with the key that signs them.',
    }),
  },
  { title: 'ChangedSecrets' },
);
export type ChangedSecrets = Static<typeof ChangedSecrets>;

const ofSecret = Type.Object({ id: idParam('Id of a definition.'), name: idParam('Name of a secret.') });

export const vaultEndpoints = {
  'vault.access': endpoint({
    method: 'GET',
    path: '/vault/access',
    tag: 'vault',
    summary: 'List accesses to secrets, newest first',
    permission: 'secrets:read',
    query: Type.Object({
      definition_id: Type.Optional(idParam('Only those of this definition.')),
      access: Type.Optional(choice(secretAccesses, { description: 'Only this kind.' })),
      ...paging,
    }),
    response: list(SecretAccess),
  }),
  'vault.set': endpoint({
    method: 'PUT',
    path: '/vault/definitions/{id}/secrets/{name}',
    tag: 'vault',
    summary: 'Set an external secret or a password input',
    description: 'Creates a new revision.',
    permission: 'secrets:write',
    params: ofSecret,
    body: SecretValue,
    response: envelope(ChangedSecrets),
  }),
  'vault.rotateSecret': endpoint({
    method: 'POST',
    path: '/vault/definitions/{id}/secrets/{name}/rotate',
    tag: 'vault',
    summary: 'Rotate a generated secret',
    description: 'Creates a new revision. The running instance keeps the old value until that revision is deployed.',
    permission: 'secrets:write',
    params: ofSecret,
    response: envelope(ChangedSecrets),
  }),
  'vault.reveal': endpoint({
    method: 'POST',
    path: '/vault/definitions/{id}/secrets/{name}/reveal',
    tag: 'vault',
    summary: 'Show the value of a generated secret',
    description:
      'For a password that users need, such as that of the first administrator. Values that a user gave stay hidden. Each call is listed in GET /vault/access.',
    permission: 'data:export',
    params: ofSecret,
    response: envelope(RevealedSecret),
  }),
  'vault.rotate': endpoint({
    method: 'POST',
    path: '/vault/rotate',
    tag: 'vault',
    summary: 'Wrap every data key with the newest master key',
    description: 'Run it after putting a new master key before the old one in the settings; then remove the old one.',
    permission: 'admin',
    response: envelope(VaultRotation),
  }),
};
