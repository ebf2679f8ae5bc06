import Type, { type Static } from 'typebox';
import { Duration, Line, mapOf, strict, VariableName } from './notation.ts';

export const GENERATORS = ['password', 'hex', 'base64', 'alnum', 'uuid', 'username', 'jwt', 'keypair', 'port'] as const;

export const Secret = strict(
  {
    generate: Type.Optional(Type.Enum(GENERATORS, { description: 'How the value is made, once per definition.' })),
    length: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 4096, description: 'Of password, hex, base64, alnum, username.' }),
    ),
    unit: Type.Optional(
      Type.Enum(['chars', 'bytes'], {
        description: 'What length counts: characters of the result (default), or random bytes before hex or base64.',
      }),
    ),
    algorithm: Type.Optional(Type.Enum(['ed25519', 'rsa'], { description: 'Of a keypair; ed25519 unless said.' })),
    bits: Type.Optional(Type.Enum([2048, 3072, 4096], { description: 'Of an rsa keypair; 2048 unless said.' })),
    signed_with: Type.Optional(VariableName('Of a jwt: the secret whose value signs it (HS256).')),
    claims: Type.Optional(
      mapOf(Type.String(), Type.Unknown({ description: 'A claim.' }), {
        description: 'Of a jwt: its payload; iat is added.',
      }),
    ),
    expires_in: Type.Optional(Duration('Of a jwt: how long it is valid; without it there is no exp claim.')),
    external: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Never generated: given by the user among the inputs, under this name.',
      }),
    ),
    label: Type.Optional(Line('What a form calls an external secret.')),
    description: Type.Optional(Type.String({ maxLength: 1000, description: 'What a form says about it.' })),
  },
  {
    description:
      'A value kept in the vault. Of a keypair, ${secrets.KEY.private} and ${secrets.KEY.public} are PEM texts.',
  },
);

export const Secrets = mapOf(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' }), Secret, {
  default: {},
  maxProperties: 200,
  description: 'Values generated once per definition, or given by the user, and kept in the vault.',
});

export type Generator = (typeof GENERATORS)[number];
export type Secret = Static<typeof Secret>;
export type Secrets = Static<typeof Secrets>;
