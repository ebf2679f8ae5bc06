import type { Canonical } from '../canonical/canonical-form.ts';
import { type Inputs, missingInputs } from './inputs.ts';

/** Maximum length of a label of a host name (RFC 1035). */
const MAX_LABEL_LENGTH = 63;

/** An input without a value that is the host of a route. */
export interface MissingHost {
  readonly input: string;
  /** Follows the uid, so that further routes have hosts of their own. */
  readonly suffix: string;
}

/** Lists the missing inputs for which a host can be chosen. */
export function missingHosts(spec: Canonical, entered: object): MissingHost[] {
  const missing = new Set(missingInputs(spec, entered as Inputs));
  return spec.routes
    .toSorted((a, b) => Number(b.primary) - Number(a.primary))
    .flatMap(({ name, host }, index) => {
      const input = hostInput(spec, host);
      return input !== undefined && missing.delete(input) ? [{ input, suffix: index === 0 ? '' : `-${name}` }] : [];
    });
}

/** Chooses the hosts below `domain` after the uid, so that a new instance opens at once. */
export const appHosts = (missing: readonly MissingHost[], uid: string, domain: string): Record<string, string> =>
  Object.fromEntries(missing.map(({ input, suffix }) => [input, `${labelOf(uid + suffix)}.${domain}`]));

/** Returns the required input that alone is the host. One with a pattern is left to the user, who knows its purpose. */
function hostInput(spec: Canonical, host: string): string | undefined {
  const [, name] = /^\$\{\s*inputs\.([A-Za-z0-9_-]+)\s*\}$/.exec(host) ?? [];
  const input = spec.inputs.required.find((canonical) => canonical.name === name);
  return input?.type === 'domain' && input.pattern === undefined ? name : undefined;
}

/** A uid may contain capital letters and underscores, which host names do not have. */
const labelOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LABEL_LENGTH)
    .replace(/-$/, '');
