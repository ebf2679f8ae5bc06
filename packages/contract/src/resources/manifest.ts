import Type, { type Static, type TSchema } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { answer, Timestamp } from '../envelope.ts';
import { givenId, id, nullable } from '../fields.ts';
import { SealedFields, SealingKey } from '../sealing.ts';
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
    deployment_id: nullable(id('deployment'), { description: 'Null when no deployment is under way.' }),
    instance_uid: Type.String({
      description:
        'What people call it. The names on the server start with instance.uid, which no other definition has.',
    }),
    server_id: id('server'),
    revision: Type.Integer({ minimum: 1 }),
    registries: Type.Optional(
      Type.Array(RegistryLogin, { description: 'How to sign in where the images come from. For daemons only.' }),
    ),
    renew: Type.Optional(
      Type.Boolean({
        description: 'Ask the registries for every image again; kept images count as changed if they moved.',
      }),
    ),
    sealed: Type.Optional(SealedFields),
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

function textsOrNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(textsOrNull);
  if (typeof value !== 'object' || value === null) return value;
  const { title: _, $id: __, additionalProperties: ___, ...schema } = value as Record<string, unknown>;
  if (schema.type === 'string' && schema.enum === undefined) return { anyOf: [schema, { type: 'null' }] };
  return mapped(schema, (part, keyword) =>
    named.has(keyword) ? mapped(part as object, textsOrNull) : textsOrNull(part),
  );
}

/** Keywords whose keys are names of fields. */
const named = new Set(['properties', 'patternProperties']);

const mapped = (object: object, change: (part: unknown, key: string) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([key, part]) => [key, change(part, key)]));

/**
 * The same for those who may not see secrets: null may stand wherever a text does. Only the schema says so; daemons, for
 * whom the type is made, get every text.
 */
const readable = Type.Unsafe<SignedManifest>({
  ...(textsOrNull(SignedManifest) as object),
  title: 'SignedManifest',
  description:
    'One revision of an instance, resolved and signed. Texts that hold a secret are null for all but the daemon of its server.',
} as TSchema);

export const manifestEndpoints = {
  'manifest.read': endpoint({
    method: 'GET',
    path: '/manifest',
    tag: 'deployments',
    summary: 'Read the resolved spec of an instance',
    description:
      'Give one of the four. The key of the very server gets secret values, over TLS or loopback, and the revision of the oldest unfinished deployment; anybody else gets the current revision with null in their place. A server whose daemon has pinned a key pair gets them sealed to it, and only on a request that names that key (`sealing_key`); any other request of that server is a 403 with the reason `identity`.',
    permission: 'manifest:read',
    daemon: true,
    query: Type.Object({
      definition_id: Type.Optional(givenId('A definition.')),
      instance_uid: Type.Optional(givenId('The unique name of an instance.')),
      instance_id: Type.Optional(givenId('An instance; the same as its definition.')),
      deployment_id: Type.Optional(givenId('A deployment; answers the revision that it pins.')),
      sealing_key: Type.Optional(SealingKey),
    }),
    response: answer(readable),
  }),
};
