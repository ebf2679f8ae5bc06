import { type Component, runKeys } from '@hortus/contract/template/component';
import type { Image } from '@hortus/contract/template/image';
import { STANDARD_PROFILES, type Template } from '@hortus/contract/template/schema';
import type { Secret, Secrets } from '@hortus/contract/template/secrets';
import { parseImage } from '../notation/image-reference.ts';
import { isMapping } from '../schema/schema-check.ts';

/** Name of the component that a template without `components` describes at its top level. */
export const SOLE_COMPONENT = 'main';
const TEMPLATE_IMAGE = '${template.image}';

export const RUN_KEYS: ReadonlySet<string> = new Set(Object.keys(runKeys));

const LENGTHS: Record<string, number> = { password: 32, hex: 64, base64: 44, alnum: 32, username: 12 };

/**
 * Expands the shorthand of a template into the canonical structure. Fills defaults that depend on other parts of the
 * template; the schema fills the others.
 */
export function expand(template: Template): Template {
  const written = componentsOf(template);
  const components = Object.fromEntries(
    Object.entries(written).map(([name, c]) => [name, expandComponent(c, template)]),
  );
  const services = Object.keys(components).filter((name) => components[name]?.kind !== 'job');
  // Only if there is a single service: the order of keys must not be significant.
  const only = services.length === 1 ? { component: services[0] as string } : {};
  const routes = (template.routes ?? []).map((route) => ({ ...only, ...route }));
  if (routes[0] && !routes.some((route) => route.primary)) routes[0].primary = true;
  return {
    ...withoutShorthand(template),
    components,
    routes,
    ...(template.image ? { image: expandImage(template.image) } : {}),
    secrets: expandSecrets(template.secrets ?? {}),
    needs: (template.needs ?? []).map((need) => ({ ...need, as: need.as ?? lastPart(need.class) })),
    actions: (template.actions ?? []).map((action) => ({
      ...only,
      ...action,
      ...(action.env ? { env: texts(action.env) } : {}),
    })),
    smoke: (template.smoke ?? []).map((test) => ({
      ...test,
      ...(test.tcp ? { tcp: { ...only, ...test.tcp } } : {}),
      ...(test.exec ? { exec: { ...only, ...test.exec } } : {}),
    })),
    profiles: expandProfiles(template),
  };
}

function componentsOf(template: Template): Record<string, Component> {
  if (template.components) return template.components;
  const main = Object.fromEntries(Object.entries(template).filter(([key]) => RUN_KEYS.has(key)));
  return { [SOLE_COMPONENT]: main };
}

function withoutShorthand(template: Template): Template {
  const kept = Object.entries(template).filter(
    ([key]) => !RUN_KEYS.has(key) && key !== '$schema' && !key.startsWith('x-'),
  );
  return Object.fromEntries(kept) as Template;
}

function expandComponent(component: Component, template: Template): Component {
  const { image, env, sysctls, resources, run } = component;
  const job = component.kind === 'job';
  const shown = image ?? (template.image ? TEMPLATE_IMAGE : undefined);
  return {
    ...component,
    ...(shown === undefined
      ? {}
      : { image: typeof shown === 'string' && !shown.includes('${') ? parseImage(shown) : shown }),
    ...(env ? { env: texts(env) } : {}),
    ...(sysctls ? { sysctls: texts(sysctls) } : {}),
    ...(resources?.cpu === undefined ? {} : { resources: { ...resources, cpu: String(resources.cpu) } }),
    restart: component.restart ?? (job ? 'no' : 'unless-stopped'),
    ...(job ? { run: run ?? 'before_start' } : {}),
  };
}

function expandImage(image: Image): Image {
  const standard = image.variants?.find((variant) => variant.default);
  const tag = image.tag ?? standard?.tag ?? (image.digest === undefined ? 'latest' : undefined);
  return { ...image, ...(tag === undefined ? {} : { tag }) };
}

function expandSecrets(secrets: Secrets): Secrets {
  const expandSecret = (secret: Secret): Secret => {
    const length = LENGTHS[secret.generate ?? ''];
    return length === undefined ? secret : { length, unit: 'chars', ...secret };
  };
  return Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, expandSecret(secret)]));
}

/** Patches of a template without `components` are written at the top level too. */
function expandProfiles(template: Template): Record<string, Record<string, unknown>> {
  const profiles: Record<string, Record<string, unknown>> = {};
  for (const name of STANDARD_PROFILES) profiles[name] = {};
  for (const [name, patch] of Object.entries(template.profiles ?? {})) profiles[name] = expandPatch(patch);
  return profiles;
}

export function expandPatch(patch: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(patch);
  const run = entries.filter(([key]) => RUN_KEYS.has(key));
  if (run.length === 0) return patch;
  const components = isMapping(patch.components) ? patch.components : {};
  return {
    ...Object.fromEntries(entries.filter(([key]) => !RUN_KEYS.has(key))),
    components: { ...components, [SOLE_COMPONENT]: Object.fromEntries(run) },
  };
}

function lastPart(name: string): string {
  return (name.split('.').at(-1) ?? name).replaceAll('-', '_');
}

function texts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
