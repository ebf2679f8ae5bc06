/** A secret that cannot be guessed: 32 random bytes in hexadecimal. */
export const randomSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
