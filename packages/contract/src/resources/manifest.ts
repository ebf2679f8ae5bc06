import Type, { type Static, type TSchema } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, Timestamp } from '../envelope.ts';
import { RequestNonce } from '../protocol/request-nonce.ts';
import { SealedFields, SealingKey } from '../protocol/sealing.ts';
import { TraceParent } from '../protocol/trace-parent.ts';
import { id, idParam, nullable } from '../records/fields.ts';
import { Manifest } from '../template/manifest.ts';

export const RegistryLogin = Type.Object({
  host: Type.String(),
  username: Type.String(),
  password: Type.String(),
});
export type RegistryLogin = Static<typeof RegistryLogin>;

export const SignedManifest = Type.Object(
  {
    ...Manifest.properties,
    definition_id: id('definition'),
    deployment_id: nullable(id('deployment'), { description: 'Null if no deployment is in progress.' }),
    instance_uid: Type.String({
      description:
        'Name for people. Names on the server start with instance.uid, which is unique among all definitions.',
    }),
    server_id: id('server'),
    revision: Type.Integer({ minimum: 1 }),
    registries: Type.Optional(
      Type.Array(RegistryLogin, { description: 'Credentials for the registries of the images. For daemons only.' }),
    ),
    renew: Type.Optional(
      Type.Boolean({
        description: 'Pull every image again; an image whose tag has moved counts as changed.',
      }),
    ),
    hidden: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Secret values in the manifest, which the daemon hides in the output of containers. For daemons only.',
      }),
    ),
    traceparent: Type.Optional(TraceParent),
    nonce: Type.Optional(RequestNonce),
    sealed: Type.Optional(SealedFields),
    signed_at: Timestamp,
    public_key_id: Type.String({ description: 'Id of the signing key of the service.' }),
    signature: nullable(Type.String(), {
      description:
        'Ed25519 over the canonical JSON (RFC 8785) of everything else, base64. Null if secret values are omitted.',
    }),
  },
  { title: 'SignedManifest', description: 'One revision of an instance, resolved and signed.' },
);
export type SignedManifest = Static<typeof SignedManifest>;

function textsOrNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textsOrNull);
  if (typeof value !== 'object' || value === null) return value;
  const { title: _, $id: __, additionalProperties: ___, ...schema } = value as Record<string, unknown>;
  if (schema.type === 'string' && schema.enum === undefined) return { anyOf: [schema, { type: 'null' }] };
  return mapped(schema, (part, keyword) =>
    named.has(keyword) ? mapped(part as object, textsOrNull) : textsOrNull(part),
  );
}

/** Keywords whose keys are field names. */
const named = new Set(['properties', 'patternProperties']);

const mapped = (object: object, change: (part: unknown, key: string) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([key, part]) => [key, change(part, key)]));

/**
 * The manifest for callers that may not see secrets: any text may be null. The TypeScript type stays strict, because it
 * is meant for daemons, which receive every text.
 */
const readable = Type.Unsafe<SignedManifest>({
  ...(textsOrNull(SignedManifest) as object),
  title: 'SignedManifest',
  description:
    'One revision of an instance, resolved and signed. Texts that contain a secret are null for every caller except the daemon of its server.',
} as TSchema);

export const manifestEndpoints = {
  'manifest.read': endpoint({
    method: 'GET',
    path: '/manifest',
    tag: 'deployments',
    summary: 'Read the resolved spec of an instance',
    description:
      'Give one of definition_id, instance_uid, instance_id and deployment_id. The server key of its server gets secret values (only over TLS or loopback) and the revision of the oldest unfinished deployment; other callers get the current revision with null in place of secrets. If the key pair of the daemon is pinned, secrets are sealed to it, and the request must name that key (`sealing_key`); otherwise the answer is a 403 with the reason `identity`.',
    permission: 'manifest:read',
    daemon: true,
    query: Type.Object({
      definition_id: Type.Optional(idParam('A definition.')),
      instance_uid: Type.Optional(idParam('Unique name of an instance.')),
      instance_id: Type.Optional(idParam('An instance; equivalent to its definition.')),
      deployment_id: Type.Optional(idParam('A deployment; returns the revision that it pins.')),
      sealing_key: Type.Optional(SealingKey),
      nonce: Type.Optional(RequestNonce),
    }),
    response: envelope(readable),
  }),
};
