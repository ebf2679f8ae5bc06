import type { RouteRule } from '../plan/routes.ts';

/** A route of an instance and the containers that serve it. */
export interface ServedRoute extends RouteRule {
  targets: readonly RouteTarget[];
}

interface RouteTarget {
  container: string;
  /** Address on the server, such as 172.18.0.3:8080; undefined while it is not running. */
  address: string | undefined;
}

export interface InstanceRoute extends ServedRoute {
  instanceUid: string;
}
