import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { entriesOf } from './entries.ts';
import { portNumber } from './quantities.ts';
import type { Reading } from './reading.ts';
import type { WayIn } from './routes.ts';

type Way = Omit<WayIn, 'component'>;
type Labels = ReadonlyMap<string, string>;

/** Labels and variables that reverse proxies read. They have no effect here, so they do not become labels of the component. */
export const PROXY_LABEL = /^(traefik\.|caddy(_\d+)?(\.|$)|com\.github\.(nginx-proxy|jrcs)\.)/;

/**
 * Reads what a service tells a reverse proxy: labels of Traefik and of Caddy's Docker module, and the variables of nginx-proxy. Each
 * way becomes a route.
 */
export function readProxyLabels(
  reading: Reading,
  service: Record<string, unknown>,
  component: string,
  path: Path,
): void {
  const deploy = isMapping(service.deploy) ? service.deploy : {};
  const labels = textsOf(reading, [service.labels, deploy.labels], [...path, 'labels']);
  const env = textsOf(reading, [service.environment], [...path, 'environment']);
  const ways = [...traefik(labels), ...caddy(labels), ...nginxProxy(env)];
  for (const way of ways) reading.routes.lead({ component, ...way }, [...path, 'labels']);
}

/** Tells whether a service has a way in through a reverse proxy. */
export const hasProxyLabels = (service: Record<string, unknown>): boolean =>
  [service.labels, isMapping(service.deploy) ? service.deploy.labels : undefined].some((labels) =>
    entriesOf(labels, []).some(({ key }) => PROXY_LABEL.test(key)),
  ) || entriesOf(service.environment, []).some(({ key }) => key === 'VIRTUAL_HOST');

/** Variables stand at their defaults; where one has none, its name stays, which is enough to recognize a rule. */
function textsOf(reading: Reading, lists: readonly unknown[], path: Path): Labels {
  const texts = new Map<string, string>();
  for (const { key, value } of lists.flatMap((list) => entriesOf(list, path))) {
    texts.set(key, value === null ? '' : (reading.plain(value) ?? String(value)));
  }
  return texts;
}

const schemeOf = (text: string | undefined): 'https' | undefined => (text === 'https' ? 'https' : undefined);

function traefik(labels: Labels): Way[] {
  if (labels.get('traefik.enable') === 'false') return [];
  const [routers, servers] = [new Map<string, { rule?: string; service?: string }>(), new Map<string, Way>()];
  for (const [key, value] of labels) {
    const router = /^traefik\.http\.routers\.([^.]+)\.(rule|service)$/.exec(key);
    if (router) routers.set(router[1] ?? '', { ...routers.get(router[1] ?? ''), [router[2] ?? '']: value });
    const server = /^traefik\.http\.services\.([^.]+)\.loadbalancer\.server\.(port|scheme)$/i.exec(key);
    if (server) {
      const declared = server[2] === 'port' ? { port: portNumber(value) } : { scheme: schemeOf(value) };
      servers.set(server[1] ?? '', { ...servers.get(server[1] ?? ''), ...declared });
    }
  }
  // The first version of Traefik had one rule and one port for a container.
  if (labels.has('traefik.frontend.rule') || labels.has('traefik.port'))
    routers.set('', { rule: labels.get('traefik.frontend.rule') ?? '' });
  const only = servers.size === 1 ? [...servers.values()][0] : { port: portNumber(labels.get('traefik.port')) };
  if (routers.size === 0) return [...servers.values()];
  return [...routers.values()].map(({ rule = '', service }) => ({
    ...(servers.get(service?.replace(/@.*/s, '') ?? '') ?? only),
    path: /PathPrefix(?:Strip)?[(:]\s*[`'"]?(\/[\w./-]+)/.exec(rule)?.[1],
  }));
}

/** `caddy.reverse_proxy: "{{upstreams https 8443}}"`, with a number after `caddy` if there are several sites. */
function caddy(labels: Labels): Way[] {
  const ways: Way[] = [];
  for (const [key, value] of labels) {
    if (!/^caddy(_\d+)?\.(.*\.)?(\d+_)?reverse_proxy(_\d+)?$/.test(key)) continue;
    const [, scheme, port] =
      /upstreams\s*(https?)?\s*(\d+)?/.exec(value) ?? /^(?:(https?):\/\/)?[^:/]+:(\d+)/.exec(value) ?? [];
    ways.push({ port: portNumber(port), scheme: schemeOf(scheme) });
  }
  return ways;
}

function nginxProxy(env: Labels): Way[] {
  if (!env.get('VIRTUAL_HOST')) return [];
  const path = env.get('VIRTUAL_PATH');
  return [
    {
      port: portNumber(env.get('VIRTUAL_PORT')),
      scheme: schemeOf(env.get('VIRTUAL_PROTO')),
      path: path?.startsWith('/') && path !== '/' ? path : undefined,
    },
  ];
}
