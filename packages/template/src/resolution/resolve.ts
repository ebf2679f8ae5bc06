import type { Manifest, ManifestComponent, ManifestRoute } from '@hortus/contract/template/manifest';
import type { Overrides } from '@hortus/contract/template/overrides';
import { specHash, withProfile } from '../canonical/canonical.ts';
import type { Canonical, CanonicalComponent, CanonicalRoute } from '../canonical/canonical-form.ts';
import { primaryImage, variantImage } from '../canonical/primary.ts';
import { startOrder } from '../canonical/start-order.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { Filled } from '../interpolation/fill.ts';
import { singlePorts } from '../notation/port-ranges.ts';
import { milliseconds } from '../notation/quantity.ts';
import type { Problem } from '../problem.ts';
import { resolveAction, resolveBackup, resolveSmoke } from './actions.ts';
import { resolveComponent } from './components.ts';
import { deepFill } from './deep-fill.ts';
import { derivedSecretPaths } from './derived-secrets.ts';
import { checkLengths } from './filled-limits.ts';
import { usageOf } from './needs.ts';
import { overridden } from './overridden.ts';
import { permissionsUsed } from './permissions.ts';
import { type IngressPorts, routeUrl } from './route-address.ts';
import { type Instance, Scope, type Surroundings } from './scope.ts';

export interface ResolveOptions {
  /** Defaults to development. */
  profile?: string;
  /** Defaults to the default variant. */
  variant?: string;
  /** Plain and secret inputs together. */
  inputs: Inputs;
  /** Inputs whose values came from the vault: secret, even if the template has made them plain since. */
  sealedInputs?: readonly string[];
  secrets: Readonly<Record<string, string>>;
  instance: Instance;
  /** Attributes of the instances that satisfy the needs, by the need's `as`. */
  needs?: Surroundings['needs'];
  /** Components of other instances that meet needs on the same server, by the need's `as`. */
  links?: Readonly<Record<string, readonly Link[]>>;
  /** Ports of the ingress of its server; 80 and 443 by default. */
  ports?: IngressPorts | undefined;
  /** Cost of bcrypt, if not the usual one. */
  bcryptCost?: number;
  /** What the definition sets instead of its template, by component. */
  overrides?: Overrides;
}

export type Resolution =
  | {
      ok: true;
      /** Contains secret values. */
      manifest: Manifest;
      /** JSON pointers (RFC 6901) of the texts in the manifest that contain a secret. */
      secretPaths: string[];
    }
  | { ok: false; problems: Problem[] };

/** A component of another instance that must be reachable by name. */
export type Link = NonNullable<ManifestComponent['links']>[number];

const STANDARD_PROFILE = 'development';

/** Resolves the spec for one instance. */
export function resolve(canonical: Canonical, options: ResolveOptions): Resolution {
  const {
    profile = STANDARD_PROFILE,
    inputs,
    sealedInputs,
    secrets,
    instance,
    needs = {},
    ports,
    bcryptCost,
  } = options;
  const spec = withProfile(canonical, profile);
  if (spec === undefined) {
    return refused('profile', `must be one of ${Object.keys(canonical.profiles).join(', ')}`);
  }
  const template = primaryImage(spec);
  const image = template && variantImage(template, options.variant);
  if (options.variant !== undefined && image === undefined) {
    const known = template?.variants.map(({ id }) => id) ?? [];
    return refused('variant', known.length > 0 ? `must be one of ${known.join(', ')}` : 'the template has no variants');
  }
  const variant = options.variant ?? template?.variants.find((candidate) => candidate.default)?.id ?? null;
  const values = { inputs, sealedInputs, secrets, needs };
  const scope = new Scope({ spec, profile, variant, image, ...values, instance, ports, bcryptCost });
  const secretPaths: string[] = [];
  const assembled = assemble(spec, scope, options, secretPaths);
  const manifest = { ...assembled, components: withLinks(assembled.components, spec, scope, options.links ?? {}) };
  secretPaths.push(...derivedSecretPaths(manifest, secretPaths));
  for (const [index, { kind, component, value, reason }] of manifest.permissions.entries()) {
    // An input can decide what is mounted, so the used path may differ from the declared one.
    const shown = secretPaths.includes(`/permissions/${index}/value`) ? '***' : (value ?? '');
    if (reason === '') scope.fail('permissions', `${component} would use ${kind} ${shown}, which is not declared`);
  }
  const resolved = { ...manifest, spec_hash: specHash(canonical), profile, variant };
  checkLengths(resolved, (field, message) => scope.fail(field, message));
  const own = overridden(resolved, options.overrides ?? {});
  const problems = [...scope.problems, ...own.problems];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, manifest: own.manifest, secretPaths };
}

/** Adds to each component the links of the needs that it uses. */
function withLinks(
  components: readonly ManifestComponent[],
  spec: Canonical,
  scope: Scope,
  links: NonNullable<ResolveOptions['links']>,
): ManifestComponent[] {
  const used = Object.entries(links).map(([need, of]) => ({ need, of, by: usageOf(spec, need).components }));
  return components.map((component) => {
    const own = used.filter(({ by, of }) => of.length > 0 && by.has(component.name));
    const [first] = own;
    if (first === undefined) return component;
    if (component.network === 'host')
      scope.fail(
        `needs.${first.need}`,
        `is met by an instance, which ${component.name} cannot reach because it uses the network of the server`,
      );
    const distinct = new Map(own.flatMap(({ of }) => of.map((link) => [`${link.instance}/${link.component}`, link])));
    return { ...component, links: [...distinct.values()] };
  });
}

function refused(field: string, message: string): Resolution {
  return { ok: false, problems: [{ field, message }] };
}

type Assembled = Omit<Manifest, 'spec_hash' | 'profile' | 'variant'>;

function assemble(
  spec: Canonical,
  scope: Scope,
  { instance, ports }: Pick<ResolveOptions, 'instance' | 'ports'>,
  secretPaths: string[],
): Assembled {
  const fillText = (text: string) => scope.fill(text);
  const components = startOrder(spec.components).map((name, index) =>
    resolveComponent(
      name,
      spec.components[name] as CanonicalComponent,
      `/components/${index}`,
      instance.uid,
      scope,
      secretPaths,
    ),
  );
  const declared = deepFill(spec.permissions, '', (text) => withoutSecret(scope.fill(text)), []);
  const notes = spec.notes === undefined ? undefined : deepFill(spec.notes, '/notes', fillText, secretPaths);
  return {
    species: spec.slug,
    template_version: spec.version,
    ...(spec.app_version === undefined ? {} : { app_version: spec.app_version }),
    archetype: spec.archetype,
    instance,
    deadline_ms: milliseconds(spec.deadline) ?? 0,
    components: components.map((component) => ({ ...component, ports: singlePorts(component.ports) })),
    routes: spec.routes.map((route, index) => {
      const resolved = resolveRoute(route, `/routes/${index}`, scope, secretPaths);
      return { ...resolved, url: routeUrl(resolved, ports) };
    }),
    actions: spec.actions.map((action, index) => resolveAction(action, `/actions/${index}`, scope, secretPaths)),
    backup: resolveBackup(spec, scope, secretPaths),
    smoke: resolveSmoke(spec, scope, secretPaths),
    provides: deepFill(spec.provides, '/provides', fillText, secretPaths),
    permissions: permissionsUsed(
      components.map((component) => [component.name, component] as const),
      declared,
    ),
    ...(notes === undefined ? {} : { notes }),
  };
}

/** Reasons are shown before a deployment. */
const withoutSecret = (filled: Filled): Filled => (filled.secret ? { ...filled, text: '***', secret: false } : filled);

function resolveRoute(
  route: CanonicalRoute,
  pointer: string,
  scope: Scope,
  secretPaths: string[],
): Omit<ManifestRoute, 'url'> {
  const filled = deepFill(route, pointer, (text) => scope.fill(text), secretPaths);
  const { host = '', path = '/' } = filled;
  if (host === '') scope.fail(`routes.${route.name}.host`, 'has no host name');
  return { ...filled, host, path };
}
