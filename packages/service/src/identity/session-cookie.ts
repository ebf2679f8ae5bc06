import { hostSessionCookie, sessionCookie } from '@hortus/contract/resources/sign-in';

const nameOf = (tls: boolean): string => (tls ? hostSessionCookie : sessionCookie);

/**
 * Reads the session token from a Cookie header. Over TLS only the `__Host-` cookie is accepted: the plain one could
 * have been set by a neighbouring subdomain, or by tampering with a plain HTTP request.
 */
export function readSessionCookie(header: string | undefined, tls: boolean): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.trim().split('=', 2);
    if (name === nameOf(tls) && value) return value;
  }
  return undefined;
}

/** Formats a Set-Cookie header; null clears the cookie. Scripts cannot read it, and other sites cannot send it. */
export function printSessionCookie(token: string | null, tls: boolean, expiresAt = 0): string {
  const secure = tls ? '; Secure' : '';
  const expires = new Date(token === null ? 0 : expiresAt).toUTCString();
  return `${nameOf(tls)}=${token ?? ''}; Path=/; Expires=${expires}; HttpOnly; SameSite=Strict${secure}`;
}
