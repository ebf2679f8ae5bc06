import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, Timestamp } from '../envelope.ts';
import { givenId, id, nullable } from '../fields.ts';
import { Manifest } from '../template/manifest.ts';

export const SignedManifest = Type.Object(
  {
    ...Manifest.properties,
    definition_id: id('definition'),
    deployment_id: nullable(id('deployment'), { description: 'Null when no deployment is under way.' }),
    instance_uid: Type.String(),
    server_id: id('server'),
    revision: Type.Integer({ minimum: 1 }),
    signed_at: Timestamp,
    public_key_id: Type.String({ description: 'Which key of the service signed it.' }),
    signature: nullable(Type.String(), {
      description:
        'Ed25519 over the canonical JSON (RFC 8785) of everything else, base64. Null where secret values are left out.',
    }),
  },
  { title: 'SignedManifest', description: 'One revision of an instance, resolved and signed.' },
);
export type SignedManifest = Static<typeof SignedManifest>;

export const manifestEndpoints = {
  'manifest.read': endpoint({
    method: 'GET',
    path: '/manifest',
    tag: 'deployments',
    summary: 'Read the resolved spec of an instance',
    description:
      'Give one of the three. The key of the very server gets secret values, over TLS or loopback, and the revision of the oldest unfinished deployment; anybody else gets the current revision with null in their place.',
    permission: 'manifest:read',
    daemon: true,
    query: Type.Object({
      definition_id: Type.Optional(givenId('A definition.')),
      instance_uid: Type.Optional(givenId('The unique name of an instance.')),
      deployment_id: Type.Optional(givenId('A deployment; answers the revision that it pins.')),
    }),
    response: answer(SignedManifest),
  }),
};
