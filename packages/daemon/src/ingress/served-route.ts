import type { RouteRule } from '../plan/routes.ts';

/** A route of an instance, and the containers that answer it. */
export interface ServedRoute extends RouteRule {
  targets: readonly RouteTarget[];
}

export interface RouteTarget {
  container: string;
  /** Where it can be reached from the server itself, such as 172.18.0.3:8080; undefined while it does not run. */
  address: string | undefined;
}

export interface InstanceRoute extends ServedRoute {
  instanceUid: string;
}

/** What makes a route unique on a server. */
export function wayOf({ host, path }: Pick<RouteRule, 'host' | 'path'>): string {
  return `${host}${path === '/' ? '' : path.replace(/\/+$/, '')}`;
}
