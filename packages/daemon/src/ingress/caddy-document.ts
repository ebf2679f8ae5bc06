import { answersPlainHttp } from '@hortus/template/resolution/route-address';
import type { InstanceRoute } from '../journal/served-route.ts';
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

type Json = Record<string, unknown>;

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
  const sorted = routes.toSorted(bySpecificity);
  const plain = sorted.filter(answersPlainHttp);
  const secure = sorted.filter(({ tls }) => tls !== 'off');
  const redirected = secure.filter((route) => !answersPlainHttp(route));
  const redirects = [...new Set(redirected.map(({ host }) => host))].map((host) => redirect(host, httpsPort));
  const internal = [...new Set(secure.filter(({ tls }) => tls === 'internal').map(({ host }) => host))];
  const lead = (route: InstanceRoute) => handling(route, settings);
  return {
    ...emptyDocument(settings),
    apps: {
      http: {
        http_port: httpPort,
        https_port: httpsPort,
        // When the set of routes changes, idle connections are closed. For this long before, every response announces
        // the close, so that no client is about to reuse its connection.
        shutdown_delay: '500ms',
        grace_period: '10s',
        servers: {
          http: {
            listen: [`:${httpPort}`],
            protocols,
            automatic_https: { disable: true },
            routes: [farewell, ...plain.flatMap(lead), ...redirects, nothingHere],
          },
          ...(secure.length > 0 && {
            https: {
              listen: [`:${httpsPort}`],
              protocols,
              automatic_https: { disable_redirects: true },
              routes: [farewell, ...secure.flatMap(lead), nothingHere],
            },
          }),
        },
      },
      ...(internal.length > 0 && {
        tls: { automation: { policies: [{ subjects: internal, issuers: [{ module: 'internal' }] }] } },
      }),
      // Do not add its authority to the trust store of the server.
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
  };
}

const protocols = ['h1', 'h2'];

const farewell = {
  match: [{ vars: { '{http.shutting_down}': ['true'] } }],
  handle: [{ handler: 'headers', response: { set: { Connection: ['close'] } } }],
};

const nothingHere = {
  handle: [{ handler: 'static_response', status_code: '404', body: 'No application is deployed at this address.\n' }],
};

/** Sorts longer paths first and exact hosts before wildcards; the rest only makes the order deterministic. */
function bySpecificity(a: InstanceRoute, b: InstanceRoute): number {
  const [wildA, wildB] = [a.host.startsWith('*'), b.host.startsWith('*')];
  if (wildA !== wildB) return wildA ? 1 : -1;
  if (a.path.length !== b.path.length) return b.path.length - a.path.length;
  return `${a.host} ${a.path}` < `${b.host} ${b.path}` ? -1 : 1;
}

function redirect(host: string, httpsPort: number): Json {
  const port = httpsPort === 443 ? '' : `:${httpsPort}`;
  const headers = { Location: [`https://{http.request.host}${port}{http.request.uri}`], Connection: ['close'] };
  return {
    match: [{ host: [host] }],
    handle: [{ handler: 'static_response', status_code: '308', headers }],
    terminal: true,
  };
}

/** The matcher is repeated: the first one may have found a file of former upstreams that was deleted right after. */
function handling(route: InstanceRoute, settings: DocumentSettings): Json[] {
  const prefix = route.path.replace(/\/+$/, '');
  const here = { host: [route.host], ...(prefix !== '' && { path: [prefix, `${prefix}/*`] }) };
  const serve = { ...serving(route, prefix), terminal: true };
  const file = { root: settings.upstreams, try_files: [`/${folderOf(route)}${'/*'.repeat(depthOf(route))}`] };
  const unavailable = {
    handler: 'static_response',
    status_code: '503',
    headers: { 'Retry-After': ['5'] },
    body: 'The application at this address is not running.\n',
  };
  return [
    { ...serve, match: [{ ...here, file }] },
    { ...serve, match: [{ ...here, file }] },
    { match: [here], handle: [unavailable], terminal: true },
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
      ...(route.strip && prefix !== '' ? [{ handler: 'rewrite', strip_path_prefix: prefix }] : []),
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
