import { answersPlainHttp } from '@hortus/template/resolution/route-address';
import type { InstanceRoute } from './served-route.ts';
import { ADDRESSES_IN_NAME, folderOf } from './upstream-files.ts';

export interface DocumentSettings {
  storage: string;
  log: string;
  upstreams: string;
  httpPort: number;
  httpsPort: number;
}

/** In the directory that Caddy runs in: a whole path may be longer than the kernel takes for a socket. */
export const ADMIN_SOCKET = 'admin.sock';
/** The name that requests to Caddy's administration must carry. */
export const ADMIN_HOST = 'hortus';

type Json = Record<string, unknown>;

/** Caddy as it starts: nothing but its administration. */
export function emptyDocument({ storage, log }: DocumentSettings): Json {
  return {
    admin: { listen: `unix/${ADMIN_SOCKET}`, origins: [ADMIN_HOST], config: { persist: false } },
    logging: {
      logs: { default: { level: 'WARN', writer: { output: 'file', filename: log, roll_size_mb: 10, roll_keep: 2 } } },
    },
    storage: { module: 'file_system', root: storage },
  };
}

/** All of Caddy's configuration, from the routes and nothing else. It changes with the set of routes, not with what they lead to. */
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
        // When the set of routes changes, connections that wait for a request are closed. For this long before that, every
        // answer says that its connection will close, so that no client is just about to use it.
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
      // Its authority is not to be made one that the server itself trusts.
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

/** Longer paths come first, and names before patterns; the rest of the order only has to be always the same. */
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

/** A request that comes while the file of former upstreams goes and was found a moment before is looked up once more. */
function handling(route: InstanceRoute, settings: DocumentSettings): Json[] {
  const prefix = route.path.replace(/\/+$/, '');
  const here = { host: [route.host], ...(prefix !== '' && { path: [prefix, `${prefix}/*`] }) };
  const serve = { ...serving(route, prefix), terminal: true };
  const file = { root: settings.upstreams, try_files: [`/${folderOf(route)}${'/*'.repeat(depthOf(route))}`] };
  const unavailable = {
    handler: 'static_response',
    status_code: '503',
    headers: { 'Retry-After': ['5'] },
    body: 'This is not running at the moment.\n',
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
        // One replica that does not answer the door is no reason to fail.
        load_balancing: {
          selection_policy: { policy: places.length > 1 ? 'random' : 'first' },
          try_duration: '2s',
          try_interval: '50ms',
        },
        transport: {
          protocol: 'http',
          dial_timeout: '2s',
          // Idle connections go soon, so that a container with none left has answered all it was asked: see open-connections.ts.
          keep_alive: { enabled: true, probe_interval: '30s', max_idle_conns_per_host: 256, idle_timeout: '1s' },
        },
      },
    ],
  };
}
