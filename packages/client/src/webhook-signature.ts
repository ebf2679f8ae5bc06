const hexOf64 = /^[0-9a-f]{64}$/;

/**
 * Tells whether a webhook delivery was signed with the secret of its endpoint. Needs the raw body: parsed and printed again, it
 * has another signature. Compares in constant time.
 */
export async function isSignedWith(
  secret: string,
  body: Uint8Array<ArrayBuffer> | string,
  signature: string | null | undefined,
): Promise<boolean> {
  if (signature === null || signature === undefined || !hexOf64.test(signature)) return false;
  const bytes = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  // Web Crypto accepts no empty key; a zero byte gives the same HMAC.
  const key = await crypto.subtle.importKey('raw', bytes(secret || '\0'), algorithm, false, ['verify']);
  const input = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return crypto.subtle.verify('HMAC', key, input, typeof body === 'string' ? bytes(body) : body);
}
