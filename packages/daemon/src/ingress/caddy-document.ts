import type { InstanceRoute } from '../journal/served-route.ts';
import { type Json, matcherOf, notRunning, sitesOf, stripping } from './caddy-sites.ts';
import { ADDRESSES_IN_NAME, folderOf } from './upstream-files.ts';

export interface DocumentSettings {
  storage: string;
  log: string;
  upstreams: string;
  httpPort: number;
  httpsPort: number;
}

/** Relative to Caddy's directory: a full path could exceed the kernel's limit for sockets. */
export const ADMIN_SOCKET = 'admin.sock';
/** Host header that Caddy's admin API requires. */
export const ADMIN_HOST = 'hortus';

/** Initial configuration: only the admin API. */
export function emptyDocument({ storage, log }: DocumentSettings): Json {
  return {
    admin: { listen: `unix/${ADMIN_SOCKET}`, origins: [ADMIN_HOST], config: { persist: false } },
    logging: {
      logs: { default: { level: 'WARN', writer: { output: 'file', filename: log, roll_size_mb: 10, roll_keep: 2 } } },
    },
    storage: { module: 'file_system', root: storage },
  };
}

/** Builds Caddy's configuration from the routes alone. It changes with the set of routes, not with their targets. */
export function caddyDocument(routes: readonly InstanceRoute[], settings: DocumentSettings): Json {
  const { httpPort, httpsPort } = settings;
  const lead = (route: InstanceRoute) => handling(route, settings);
  return { ...emptyDocument(settings), apps: sitesOf({ routes, httpPort, httpsPort, lead }) };
}

/** The matcher is repeated: the first one may have found a file of former upstreams that was deleted right after. */
function handling(route: InstanceRoute, settings: DocumentSettings): Json[] {
  const { prefix, here } = matcherOf(route);
  const serve = { ...serving(route, prefix), terminal: true };
  const file = { root: settings.upstreams, try_files: [`/${folderOf(route)}${'/*'.repeat(depthOf(route))}`] };
  return [
    { ...serve, match: [{ ...here, file }] },
    { ...serve, match: [{ ...here, file }] },
    { match: [here], handle: [notRunning], terminal: true },
  ];
}

const depthOf = ({ targets }: InstanceRoute): number => Math.max(1, Math.ceil(targets.length / ADDRESSES_IN_NAME));

function serving(route: InstanceRoute, prefix: string): Json {
  const places = Array.from({ length: Math.max(1, route.targets.length) }, (_, index) => `{hortus_${index + 1}}`);
  const address = '([^,/]+)';
  const names: string[] = [];
  for (let from = 0; from < places.length; from += ADDRESSES_IN_NAME) {
    names.push(
      places
        .slice(from, from + ADDRESSES_IN_NAME)
        .map(() => address)
        .join(','),
    );
  }
  return {
    handle: [
      {
        handler: 'map',
        source: '{http.matchers.file.relative}',
        destinations: places,
        mappings: [{ input_regexp: `/?${names.join('/')}$`, outputs: places.map((_, index) => `$${index + 1}`) }],
      },
      ...stripping(route, prefix),
      {
        handler: 'reverse_proxy',
        upstreams: places.map((dial) => ({ dial })),
        // Retry other replicas if one does not accept connections.
        load_balancing: {
          selection_policy: { policy: places.length > 1 ? 'random' : 'first' },
          try_duration: '2s',
          try_interval: '50ms',
        },
        transport: {
          protocol: 'http',
          dial_timeout: '2s',
          // Close idle connections soon, so that a container without connections has no open requests: see
          // open-connections.ts.
          ...(route.scheme === 'https' && { tls: { insecure_skip_verify: true } }),
          keep_alive: { enabled: true, probe_interval: '30s', max_idle_conns_per_host: 256, idle_timeout: '1s' },
        },
      },
    ],
  };
}
