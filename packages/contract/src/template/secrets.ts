import Type, { type Static } from 'typebox';
import { Duration, Line, mapOf, strict, VariableName } from './notation.ts';

const GENERATORS = ['password', 'hex', 'base64', 'alnum', 'uuid', 'username', 'jwt', 'keypair', 'port'] as const;

export const Secret = strict(
  {
    generate: Type.Optional(Type.Enum(GENERATORS, { description: 'How the value is generated, once per definition.' })),
    length: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 4096, description: 'Length of password, hex, base64, alnum and username.' }),
    ),
    unit: Type.Optional(
      Type.Enum(['chars', 'bytes'], {
        description: 'Unit of length: characters of the result (default), or random bytes before hex or base64.',
      }),
    ),
    algorithm: Type.Optional(
      Type.Enum(['ed25519', 'rsa'], { description: 'Algorithm of a keypair; ed25519 by default.' }),
    ),
    bits: Type.Optional(Type.Enum([2048, 3072, 4096], { description: 'Size of an rsa keypair; 2048 by default.' })),
    signed_with: Type.Optional(VariableName('For jwt: the secret that signs it (HS256).')),
    claims: Type.Optional(
      mapOf(Type.String(), Type.Unknown({ description: 'A claim.' }), {
        description: 'For jwt: its payload; iat is added.',
      }),
    ),
    expires_in: Type.Optional(Duration('For jwt: its validity; without it there is no exp claim.')),
    external: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the user provides it, as an input with this name.',
      }),
    ),
    label: Type.Optional(Line('Label of an external secret in forms.')),
    description: Type.Optional(Type.String({ maxLength: 1000, description: 'Help text in forms.' })),
  },
  {
    description: 'A value in the vault. For a keypair, ${secrets.KEY.private} and ${secrets.KEY.public} are PEM texts.',
  },
);

export const Secrets = mapOf(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' }), Secret, {
  default: {},
  maxProperties: 200,
  description: 'Values in the vault, generated once per definition or given by the user.',
});

export type Secret = Static<typeof Secret>;
export type Secrets = Static<typeof Secrets>;
