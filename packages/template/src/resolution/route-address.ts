type Tls = 'auto' | 'internal' | 'off';

/** Whether browsers resolve this name to their own machine without asking DNS (RFC 6761). */
export const isLocalName = (host: string): boolean => /^(?:.+\.)?localhost$/i.test(host);

/**
 * Whether a route answers over plain HTTP. A local name with automatic TLS does: no public authority issues a certificate
 * for it, and a redirect to one that browsers distrust would be the first thing a newcomer sees.
 */
export const answersPlainHttp = ({ tls, host }: { tls: Tls; host: string }): boolean =>
  tls === 'off' || (tls === 'auto' && isLocalName(host));

export const routeScheme = (route: { tls: Tls; host: string }): 'http' | 'https' =>
  answersPlainHttp(route) ? 'http' : 'https';

export function routeUrl(route: { tls: Tls; host: string; path: string }): string {
  return `${routeScheme(route)}://${route.host}${route.path === '/' ? '' : route.path}`;
}
