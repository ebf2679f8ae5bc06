/** Where the value of a reference comes from. */
export interface Reference {
  readonly kind: 'env' | 'file';
  /** Name of the variable, or path of the file relative to the garden. */
  readonly name: string;
}

const WHOLE = /^\$\{(?:env\.([A-Za-z_][A-Za-z0-9_]{0,127})|file:([^\p{Cc}{}]{1,512}))\}$/u;
const ANYWHERE = /\$\{(?:env\.|file:)/;

/** Reads a whole value such as `${env.NAME}` or `${file:secrets/token}`; undefined if it is no reference. */
export function referenceIn(value: unknown): Reference | undefined {
  const found = typeof value === 'string' ? WHOLE.exec(value) : null;
  if (!found) return undefined;
  const [, variable, path] = found;
  return variable === undefined ? { kind: 'file', name: path ?? '' } : { kind: 'env', name: variable };
}

/** Key of a reference in the values that a client sends: `env.NAME` or `file:path`. */
export const keyOf = ({ kind, name }: Reference): string => (kind === 'env' ? `env.${name}` : `file:${name}`);

/** Whether a text has a reference inside or a malformed one; both would silently become part of the value. */
export const isMixed = (value: unknown): boolean =>
  typeof value === 'string' && referenceIn(value) === undefined && ANYWHERE.test(value);

/** Calls `see` for every value inside, with its path. */
export function eachValue(
  value: unknown,
  see: (value: unknown, path: readonly (string | number)[]) => void,
  path: readonly (string | number)[] = [],
): void {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) eachValue(item, see, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) eachValue(item, see, [...path, name]);
  else see(value, path);
}

/** Lists every reference of a garden once. */
export function referencesIn(garden: unknown): Reference[] {
  const found = new Map<string, Reference>();
  eachValue(garden, (value) => {
    const reference = referenceIn(value);
    if (reference) found.set(keyOf(reference), reference);
  });
  return [...found.values()];
}

/** Values by reference, as `keyOf` names them. */
export type Values = Readonly<Record<string, string>>;

/** Replaces the references inside by their values; those without a value are left out of objects. */
export function resolved<T>(value: T, values: Values): T {
  if (Array.isArray(value)) return value.map((item) => resolved(item, values)) as T;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, item]) => [name, resolved(item, values)] as const);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined)) as T;
  }
  const reference = referenceIn(value);
  if (!reference) return value;
  const key = keyOf(reference);
  return (Object.hasOwn(values, key) ? values[key] : undefined) as T;
}
