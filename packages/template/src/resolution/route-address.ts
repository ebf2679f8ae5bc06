type Tls = 'auto' | 'internal' | 'off';

/** Whether browsers resolve this name to their own machine without asking DNS (RFC 6761). */
const isLocalName = (host: string): boolean => /^(?:.+\.)?localhost$/i.test(host);

/**
 * Whether a route answers over plain HTTP. A local name with automatic TLS does: no public authority issues a certificate
 * for it, and a redirect to one that browsers distrust would be the first thing a newcomer sees.
 */
export const servesPlainHttp = ({ tls, host }: { tls: Tls; host: string }): boolean =>
  tls === 'off' || (tls === 'auto' && isLocalName(host));

export const routeScheme = (route: { tls: Tls; host: string }): 'http' | 'https' =>
  servesPlainHttp(route) ? 'http' : 'https';

/** Ports of the ingress of a server. */
export interface IngressPorts {
  readonly http: number;
  readonly https: number;
}

export const STANDARD_PORTS: IngressPorts = { http: 80, https: 443 };

export function routeUrl(
  route: { tls: Tls; host: string; path: string },
  ports: IngressPorts = STANDARD_PORTS,
): string {
  const scheme = routeScheme(route);
  const port = ports[scheme] === STANDARD_PORTS[scheme] ? '' : `:${ports[scheme]}`;
  return `${scheme}://${route.host}${port}${route.path === '/' ? '' : route.path}`;
}
