import Type, { type Static } from 'typebox';

/** The X25519 public key of a daemon: base64 of its SPKI. */
export const SealingKey = Type.String({
  pattern: '^[A-Za-z0-9+/]{59}=$',
  maxLength: 60,
  description:
    'X25519 public key of the daemon, base64 of its SPKI. The service pins the first one of a server and seals secrets to it.',
});

/**
 * Texts of a message that only the daemon of one server can read: X25519 with an ephemeral key, HKDF-SHA256, AES-256-GCM. In
 * their place the message has empty texts; a signature covers both.
 */
export const SealedFields = Type.Object(
  {
    recipient: Type.String({ description: 'Fingerprint of the key that they are sealed to.' }),
    ephemeral_key: Type.String({ description: 'X25519, base64 of its SPKI; made for this message alone.' }),
    fields: Type.Record(Type.String(), Type.String(), {
      description: 'By JSON pointer: nonce (12 bytes), ciphertext and tag (16 bytes), base64.',
    }),
  },
  {
    description: 'Secret values, for a daemon that has shown a key pair. Missing where there are none, or no key pair.',
  },
);
export type SealedFields = Static<typeof SealedFields>;
