import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import { servesPlainHttp } from '@hortus/template/resolution/route-address';
import type { RouteRule } from '../plan/routes.ts';

export type Json = Record<string, unknown>;

export interface Sites<Route extends RouteRule> {
  routes: readonly Route[];
  httpPort: number;
  httpsPort: number;
  /** Caddy's own routes for a route of an instance; see `matcherOf` for their matcher. */
  lead(route: Route): Json[];
  /** Caddy's own routes that come before all others on the HTTP port. */
  first?: readonly Json[];
  /** Caddy's own routes for requests that failed in the ingress. */
  errors?: readonly Json[];
}

/** Builds the applications of Caddy's configuration: the servers for HTTP and HTTPS, and the certificates. */
export function sitesOf<Route extends RouteRule>(sites: Sites<Route>): Json {
  const { routes, httpPort, httpsPort, lead, first = [] } = sites;
  const sorted = routes.toSorted(bySpecificity);
  const plain = sorted.filter(servesPlainHttp);
  const secure = sorted.filter(({ tls }) => tls !== 'off');
  const redirected = secure.filter((route) => !servesPlainHttp(route));
  const redirects = [...new Set(redirected.map(({ host }) => host))].map((host) => redirect(host, httpsPort));
  const internal = [...new Set(secure.filter(({ tls }) => tls === 'internal').map(({ host }) => host))];
  const errors = sites.errors && { errors: { routes: sites.errors } };
  return {
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
          routes: [farewell, ...first, ...plain.flatMap(lead), ...redirects, nothingHere],
          ...errors,
        },
        ...(secure.length > 0 && {
          https: {
            listen: [`:${httpsPort}`],
            protocols,
            automatic_https: { disable_redirects: true },
            routes: [farewell, ...secure.flatMap(lead), nothingHere],
            ...errors,
          },
        }),
      },
    },
    ...(internal.length > 0 && {
      tls: { automation: { policies: [{ subjects: internal, issuers: [{ module: 'internal' }] }] } },
    }),
    // Do not add its authority to the trust store of the server.
    pki: { certificate_authorities: { local: { install_trust: false } } },
  };
}

/** Matches the requests of a route; `prefix` is its path without a slash at the end. */
export function matcherOf({ host, path }: RouteRule): { prefix: string; here: Json } {
  const prefix = withoutTrailing(path, '/');
  return { prefix, here: { host: [host], ...(prefix !== '' && { path: [prefix, `${prefix}/*`] }) } };
}

export const stripping = ({ strip }: RouteRule, prefix: string): Json[] =>
  strip && prefix !== '' ? [{ handler: 'rewrite', strip_path_prefix: prefix }] : [];

/** Answer for an application that does not run. */
export const notRunning: Json = {
  handler: 'static_response',
  status_code: '503',
  headers: { 'Retry-After': ['5'] },
  body: 'The application at this address is not running.\n',
};

const protocols = ['h1', 'h2'];

const farewell = {
  match: [{ vars: { '{http.shutting_down}': ['true'] } }],
  handle: [{ handler: 'headers', response: { set: { Connection: ['close'] } } }],
};

const nothingHere = {
  handle: [{ handler: 'static_response', status_code: '404', body: 'No application is deployed at this address.\n' }],
};

/** Sorts longer paths first and exact hosts before wildcards; the rest only makes the order deterministic. */
function bySpecificity(a: RouteRule, b: RouteRule): number {
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
