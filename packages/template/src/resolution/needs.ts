import type { Canonical } from '../canonical/canonical-form.ts';
import { references } from '../interpolation/text.ts';
import { textsOf } from '../rules/texts.ts';

/** Which parts of a spec use a need, directly or through `vars`. */
export interface NeedUsage {
  /** Names of the components. The component of an action uses what the action uses. */
  readonly components: ReadonlySet<string>;
  readonly attributes: ReadonlySet<string>;
}

/** Returns who uses the need with this name; expects a spec with its profile applied. */
export function usageOf(spec: Canonical, need: string): NeedUsage {
  const ofVariable = new Map<string, ReadonlySet<string>>();
  const attributesIn = (text: string): Set<string> => {
    const found = new Set<string>();
    for (const { namespace, names } of references(text)) {
      const [name = '', field = ''] = names;
      if (namespace === 'needs' && name === need) found.add(field);
      if (namespace === 'vars') for (const attribute of inVariable(name)) found.add(attribute);
    }
    return found;
  };
  const inVariable = (name: string): ReadonlySet<string> => {
    const known = ofVariable.get(name);
    if (known !== undefined) return known;
    // Ends cycles, which the validator refuses.
    ofVariable.set(name, new Set());
    const text = Object.hasOwn(spec.vars, name) ? spec.vars[name] : undefined;
    const found = text === undefined ? new Set<string>() : attributesIn(text);
    ofVariable.set(name, found);
    return found;
  };
  const components = new Set<string>();
  const attributes = new Set<string>();
  for (const { path, text, action } of textsOf(spec)) {
    if (path[0] === 'vars') continue;
    const found = attributesIn(text);
    if (found.size === 0) continue;
    for (const attribute of found) attributes.add(attribute);
    if (path[0] === 'components') components.add(String(path[1]));
    if (action?.component !== undefined) components.add(action.component);
  }
  return { components, attributes };
}

/** `database` is met by `database.postgres`, and not the other way round. */
export const meets = (provided: string, needed: string): boolean =>
  provided === needed || provided.startsWith(`${needed}.`);

/** Returns the attributes that contain the host name of a component, directly or through `vars`. */
export function internalAttributes(
  spec: Pick<Canonical, 'vars'>,
  attributes: Readonly<Record<string, string>>,
): ReadonlySet<string> {
  const isInternal = (text: string, seen: ReadonlySet<string>): boolean =>
    references(text).some(({ namespace, names: [name = ''] }) => {
      if (namespace === 'components') return true;
      if (namespace !== 'vars' || seen.has(name) || !Object.hasOwn(spec.vars, name)) return false;
      return isInternal(spec.vars[name] ?? '', new Set([...seen, name]));
    });
  return new Set(Object.entries(attributes).flatMap(([name, text]) => (isInternal(text, new Set()) ? [name] : [])));
}
