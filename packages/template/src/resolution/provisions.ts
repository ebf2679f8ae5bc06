import { withProfile } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import type { Problem } from '../problem.ts';
import type { ResolveOptions } from './resolve.ts';
import { componentHost, Scope } from './scope.ts';

/** An attribute of a provision, with its value for one instance. */
interface ProvidedAttribute {
  readonly value: string;
  readonly secret: boolean;
  /** Components whose host name the value contains: only instances on the same server can use it. */
  readonly components: readonly string[];
}

export interface ResolvedProvision {
  readonly class: string;
  readonly attributes: Readonly<Record<string, ProvidedAttribute>>;
}

/** Resolves only what an instance provides to others. Its own needs count as unbound, so that bindings cannot form a cycle. */
export function resolveProvisions(
  canonical: Canonical,
  { profile = 'development', variant = null, inputs, sealedInputs, secrets, instance, ports }: ProvisionOptions,
): { provisions: ResolvedProvision[]; problems: Problem[] } {
  const spec = withProfile(canonical, profile) ?? canonical;
  const scope = new Scope({
    ...{ spec, profile, variant, inputs, sealedInputs, secrets, instance, ports },
    image: undefined,
    needs: {},
  });
  const hosts = new Map(Object.keys(spec.components).map((name) => [componentHost(instance.uid, name), name]));
  const provisions = spec.provides.map(({ class: name, attributes }) => ({
    class: name,
    attributes: Object.fromEntries(
      Object.entries(attributes).flatMap(([key, text]) => {
        const { text: value = '', secret } = scope.fill(text);
        if (value === '') return [];
        const words = new Set(value.split(/[^A-Za-z0-9_-]+/));
        const components = [...hosts].flatMap(([host, component]) => (words.has(host) ? [component] : []));
        return [[key, { value, secret, components }]];
      }),
    ),
  }));
  return { provisions, problems: scope.problems };
}

interface ProvisionOptions extends Omit<ResolveOptions, 'needs' | 'links' | 'variant'> {
  variant?: string | null;
}
