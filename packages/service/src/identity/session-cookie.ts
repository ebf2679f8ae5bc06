import { sessionCookie } from '@hortus/contract/resources/account';

/** The session's token out of a Cookie header. */
export function readSessionCookie(header: string | undefined): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.trim().split('=', 2);
    if (name === sessionCookie && value) return value;
  }
  return undefined;
}

/**
 * A Set-Cookie header; null clears it. Strict: no page of another site can have a browser send it along. Scripts cannot
 * read it, and over https it never travels in clear.
 */
export function printSessionCookie(token: string | null, publicUrl: string, expiresAt = 0): string {
  const secure = new URL(publicUrl).protocol === 'https:' ? '; Secure' : '';
  const expires = new Date(token === null ? 0 : expiresAt).toUTCString();
  return `${sessionCookie}=${token ?? ''}; Path=/; Expires=${expires}; HttpOnly; SameSite=Strict${secure}`;
}
