import Type, { type Static } from 'typebox';

/** Content of the signature file that the build writes beside a binary. */
export const ReleaseSignature = Type.Object(
  {
    file: Type.String({ maxLength: 100, examples: ['hortusd-linux-amd64'] }),
    version: Type.String({ maxLength: 100, examples: ['1.4.0'] }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    key_id: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{16}$',
        description: 'First 16 hexadecimal digits of the sha256 of the SPKI of the release key.',
      }),
    ),
    signature: Type.String({
      maxLength: 200,
      description: 'Ed25519 by the release key over the canonical JSON (RFC 8785) of all other fields, base64.',
    }),
  },
  { title: 'ReleaseSignature' },
);
export type ReleaseSignature = Static<typeof ReleaseSignature>;
