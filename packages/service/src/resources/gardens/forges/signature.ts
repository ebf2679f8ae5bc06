import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether a push was sent with the secret of the garden. GitHub, Gitea and Forgejo sign the raw body with HMAC-SHA256,
 * GitLab sends the secret itself. Any of them is accepted from any forge: each one proves the secret.
 */
export function isSigned(headers: Headers, body: Uint8Array, secret: string): boolean {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const expected: readonly (readonly [string | undefined, string])[] = [
    [firstValue(headers['x-hub-signature-256']), `sha256=${signature}`],
    [firstValue(headers['x-gitea-signature']), signature],
    [firstValue(headers['x-forgejo-signature']), signature],
    [firstValue(headers['x-gitlab-token']), secret],
  ];
  // Forgejo sends several of them; all that are present must be right.
  const input = expected.filter(([value]) => value !== undefined);
  return input.length > 0 && input.every(([value = '', right]) => isSame(value, right));
}

/** Compares in constant time, whatever the lengths. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const firstValue = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;
