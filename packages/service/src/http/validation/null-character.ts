const NULL = '\0';

export const NO_NULL = 'must not contain the character U+0000.';

/**
 * Returns the field with the character U+0000, which JSON and URLs can contain but PostgreSQL's text cannot. Not
 * recursive: a body may be nested as deeply as it is long.
 */
export function fieldWithNull(body: unknown): string | undefined {
  const open: { readonly path: string; readonly value: unknown }[] = [{ path: '', value: body }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { path, value } = next;
    if (typeof value === 'string' && value.includes(NULL)) return named(path);
    if (value === null || typeof value !== 'object') continue;
    for (const [name, inner] of Object.entries(value)) {
      if (name.includes(NULL)) return named(path);
      open.push({ path: Array.isArray(value) ? `${path}[${name}]` : path ? `${path}.${name}` : name, value: inner });
    }
  }
  return undefined;
}

/** Longer paths are not helpful in a message. */
const MAX_PATH_LENGTH = 200;
const named = (path: string) => (path === '' || path.length > MAX_PATH_LENGTH ? 'body' : path);

/** Checks a path or a query, whose values are flat. */
export const holdsNull = (values: Readonly<Record<string, unknown>>): string | undefined =>
  Object.keys(values).find((name) => String(values[name]).includes(NULL));
