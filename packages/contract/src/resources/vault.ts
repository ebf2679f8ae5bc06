import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer } from '../envelope.ts';

export const VaultRotation = Type.Object(
  {
    rewrapped: Type.Integer({ description: 'How many data keys were wrapped anew.' }),
    fingerprint: Type.String({ description: 'Names the master key now in use, without revealing it.' }),
  },
  { title: 'VaultRotation' },
);
export type VaultRotation = Static<typeof VaultRotation>;

export const vaultEndpoints = {
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
