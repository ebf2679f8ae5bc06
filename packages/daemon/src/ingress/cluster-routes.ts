import type { RouteRule } from '../plan/routes.ts';

/** A route and the instance that it leads to. */
export interface InstanceRule extends RouteRule {
  instanceUid: string;
}

export interface Leading {
  /** Labels of everything that belongs to the instance. */
  own: Readonly<Record<string, string>>;
  say(level: 'info' | 'warn', message: string): void;
  progress(): void;
  signal: AbortSignal;
}

/** Routes of a cluster. Any of its daemons reads and changes them, so they are in the store of the cluster. */
export interface ClusterRoutes {
  all(): Promise<InstanceRule[]>;
  /** Rejects routes of all instances that do not fit into one document. */
  requireRoom(rules: readonly InstanceRule[]): void;
  /** Whether these routes of all instances are what the nodes are told to serve. */
  isCurrent(rules: readonly InstanceRule[]): Promise<boolean>;
  /** Creates the network that the ingress shares with routed components. */
  ensureNetwork(): Promise<void>;
  /** Replaces the routes of an instance. Returns once every node of the ingress serves them, or warns of those that do not. */
  lead(instanceUid: string, rules: readonly RouteRule[], leading: Leading): Promise<void>;
  /** Removes the routes of an instance. */
  unroute(instanceUid: string): Promise<void>;
  /** Version of Caddy as its image names it. */
  readonly version: string;
  /** Supervises the ingress until `stop`. */
  start(): void;
  stop(): Promise<void>;
}
