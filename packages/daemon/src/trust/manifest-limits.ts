import type { SignedManifest } from '@hortus/contract/resources/manifest';

/** Beyond what a template can have, but small enough for the daemon, its proxy and the engine. */
const MAX_COMPONENTS = 500;
const MAX_ROUTES = 500;
const MAX_ACTIONS = 5_000;
/** Characters of texts that become part of a route, a container or a call. */
const MAX_HOST = 255;
const MAX_PATH = 4_096;
const MAX_NAME = 1_024;

/** Names the first part of a manifest that is larger than this daemon handles; undefined if there is none. */
export function beyondLimits({ components, routes, actions }: SignedManifest): string | undefined {
  if (components.length > MAX_COMPONENTS) return tooMany('components', components.length, MAX_COMPONENTS);
  if (routes.length > MAX_ROUTES) return tooMany('routes', routes.length, MAX_ROUTES);
  if (actions.length > MAX_ACTIONS) return tooMany('actions', actions.length, MAX_ACTIONS);
  const texts: [place: string, text: string | undefined, max: number][] = [
    ...routes.flatMap(({ host, path }, index): typeof texts => [
      [`routes[${index}].host`, host, MAX_HOST],
      [`routes[${index}].path`, path, MAX_PATH],
    ]),
    ...components.flatMap(({ name, image, healthcheck }, index): typeof texts => [
      [`components[${index}].name`, name, MAX_NAME],
      [`components[${index}].image`, image, MAX_NAME],
      [`components[${index}].healthcheck.http.path`, healthcheck?.http?.path, MAX_PATH],
    ]),
    ...actions.map(({ http }, index): (typeof texts)[number] => [`actions[${index}].http.path`, http?.path, MAX_PATH]),
  ];
  const long = texts.find(([, text, max]) => text !== undefined && text.length > max);
  if (long === undefined) return undefined;
  const [place, text = '', max] = long;
  return `${place} has ${text.length} characters; this daemon handles ${max}`;
}

const tooMany = (what: string, count: number, max: number): string =>
  `it has ${count} ${what}; this daemon handles ${max}`;
