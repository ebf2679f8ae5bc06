import { createHash } from 'node:crypto';
import { type Json, matcherOf, notRunning, sitesOf, stripping } from '../ingress/caddy-sites.ts';
import type { InstanceRule } from '../ingress/cluster-routes.ts';
import { SOURCE_PORT, SOURCE_SERVICE } from './ingress-names.ts';

export interface IngressPortNumbers {
  httpPort: number;
  httpsPort: number;
}

/** Host name and path at which every node of the ingress says which routes it serves. */
export const REVISION_HOST = 'revision.hortus.internal';

/**
 * Name of the tasks of a routed component on the network of the ingress. No public domain can have it, so a component without
 * tasks resolves to nothing instead of a stranger's address.
 */
export const ingressName = (uid: string, component: string): string => `${component}.${uid}.hortus.internal`;

/** Configuration with which Caddy starts on each node: it only fetches the routes. */
export function initialDocument(): Json {
  return {
    // No admin API: containers of other instances share a network with Caddy.
    admin: {
      disabled: true,
      config: {
        persist: false,
        load_delay: '1s',
        load: { module: 'http', url: `http://${SOURCE_SERVICE}.:${SOURCE_PORT}/routes.json`, timeout: '5s' },
      },
    },
    logging: { logs: { default: { level: 'WARN' } } },
    storage: { module: 'file_system', root: '/data' },
  };
}

export interface IngressDocument {
  text: string;
  /** Hash of the text, which every node that serves it answers. */
  revision: string;
}

/** Builds Caddy's configuration from all routes. It names components and no tasks, so a rollout does not change it. */
export function ingressDocument(rules: readonly InstanceRule[], ports: IngressPortNumbers): IngressDocument {
  const routes = rules.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const build = (first: readonly Json[]) =>
    JSON.stringify({ ...initialDocument(), apps: sitesOf({ routes, ...ports, lead, first, errors }) });
  const revision = createHash('sha256').update(build([])).digest('hex');
  const marker = { handler: 'static_response', body: revision, headers: { 'Cache-Control': ['no-store'] } };
  return { revision, text: build([{ match: [{ host: [REVISION_HOST] }], handle: [marker], terminal: true }]) };
}

const keyOf = ({ instanceUid, name }: InstanceRule): string => `${instanceUid} ${name}`;

function lead(route: InstanceRule): Json[] {
  const { prefix, here } = matcherOf(route);
  return [{ match: [here], handle: [...stripping(route, prefix), proxy(route)], terminal: true }];
}

/**
 * Every request asks the Swarm's DNS and opens a connection of its own. The DNS drops a task several seconds before it is
 * stopped, so a rollout meets no request. A connection kept open would still lead to a task that was dropped, or to a node that
 * was lost, where a request other than GET could not be repeated.
 */
const proxy = ({ instanceUid, component, port, scheme }: InstanceRule): Json => ({
  handler: 'reverse_proxy',
  // The last dot keeps the search domains of the node out of the name.
  upstreams: [{ dial: `${ingressName(instanceUid, component)}.:${port}` }],
  // For an application between two tasks. A reload of Caddy ends these tries, so they come second.
  load_balancing: { selection_policy: { policy: 'first' }, try_duration: '10s', try_interval: '100ms' },
  transport: {
    protocol: 'http',
    // Each connection tries the addresses of all tasks, in random order. One that refuses costs nothing, one of a lost node two
    // seconds, the least that Go gives an address; five are enough for two of them.
    dial_timeout: '5s',
    ...(scheme === 'https' && { tls: { insecure_skip_verify: true } }),
    // Requests that wait for a lost node end after about a minute.
    keep_alive: { enabled: false, probe_interval: '5s' },
  },
});

const errors: readonly Json[] = [
  { match: [{ vars: { '{http.error.status_code}': ['502', '503'] } }], handle: [notRunning] },
];
