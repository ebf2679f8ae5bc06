import Type, { type Static } from 'typebox';

/** X25519 public key of a daemon: base64 of its SPKI. */
export const SealingKey = Type.String({
  pattern: '^[A-Za-z0-9+/]{59}=$',
  maxLength: 60,
  description:
    'X25519 public key of the daemon, base64 of its SPKI. The service pins the first key of a server and seals secrets to it.',
});

const forOneKey = {
  recipient: Type.String({ description: 'Fingerprint of the key to which they are sealed.' }),
  ephemeral_key: Type.String({ description: 'X25519 public key, base64 of its SPKI; used only for this message.' }),
  fields: Type.Record(Type.String(), Type.String(), {
    description: 'By JSON pointer: nonce (12 bytes), ciphertext and tag (16 bytes), base64.',
  }),
};

/**
 * Texts of a message that only the daemon of one server can read: X25519 with an ephemeral key, HKDF-SHA256,
 * AES-256-GCM. The message has empty texts in their place; a signature covers both.
 */
export const SealedFields = Type.Object(
  {
    ...forOneKey,
    others: Type.Optional(
      Type.Array(Type.Object(forOneKey), {
        description: 'The same texts for the other members of a cluster, so that each of them can continue with it.',
      }),
    ),
  },
  {
    description: 'Secret values for a daemon with a pinned key pair. Absent if there are no secrets or no key pair.',
  },
);
export type SealedFields = Static<typeof SealedFields>;
