import Type from 'typebox';

/** A random text of a daemon for one request. What the response signs repeats it, so that no recorded response passes for a new one. */
export const RequestNonce = Type.String({
  pattern: '^[A-Za-z0-9_-]{22,64}$',
  maxLength: 64,
  description:
    'Random text for this request alone, at least 16 bytes as base64url. The signed part of the response repeats it.',
});
