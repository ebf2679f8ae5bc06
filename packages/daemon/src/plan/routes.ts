import { isDeepStrictEqual } from 'node:util';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { ManifestRoute } from '@hortus/contract/template/manifest';

/** A route: external requests for this host and path go to this port of a component. */
export interface RouteRule {
  name: string;
  component: string;
  port: number;
  host: string;
  path: string;
  strip: boolean;
  /** Present if the component encrypts itself. */
  scheme?: 'https';
  tls: 'auto' | 'internal' | 'off';
}

/** A route as the ingress serves it. */
export interface ActualRoute extends RouteRule {
  /** Ids of the target containers. */
  containers: readonly string[];
}

export function routeRule({ name, component, port, host, path, strip, scheme, tls }: ManifestRoute): RouteRule {
  const encrypted = scheme === 'https' && { scheme };
  // Host names are case-insensitive.
  return { name, component, port, host: host.toLowerCase(), path, strip, ...encrypted, tls };
}

export function sameRoutes(some: readonly ActualRoute[], others: readonly ActualRoute[]): boolean {
  return isDeepStrictEqual(some.map(comparable).sort(byName), others.map(comparable).sort(byName));
}

function comparable({ name, component, port, host, path, strip, scheme, tls, containers }: ActualRoute) {
  return {
    name,
    component,
    port,
    host,
    path,
    strip,
    scheme: scheme ?? 'http',
    tls,
    containers: [...containers].sort(),
  };
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** Key that must be unique on a server. */
export function wayOf({ host, path }: Pick<RouteRule, 'host' | 'path'>): string {
  return `${host}${path === '/' ? '' : withoutTrailing(path, '/')}`;
}
