import type { SecretField } from '@hortus/contract/records/secret-fields';

type Json = Record<string, unknown>;

/** Replaces the secrets of an answer by null and returns them apart, in the order of `fields`. */
export function takeSecrets(response: unknown, fields: readonly SecretField[]): { open: Json; secrets: unknown[] } {
  const open = JSON.parse(JSON.stringify(response)) as Json;
  const secrets = fields.map(({ path }) => exchange(open, path, null));
  return { open, secrets };
}

export function putSecretsBack(open: Json, fields: readonly SecretField[], secrets: readonly unknown[]): Json {
  fields.forEach(({ path }, index) => {
    exchange(open, path, secrets[index]);
  });
  return open;
}

/** Tells the caller of a late replay how to get a new secret. */
export const hintFor = (fields: readonly SecretField[]): string =>
  ['The secret of this answer is no longer available.', ...new Set(fields.map(({ replacement }) => replacement))].join(
    ' ',
  );

/** Sets the value at a path and returns the previous one. */
function exchange(json: Json, path: readonly string[], value: unknown): unknown {
  const holder = path.slice(0, -1).reduce((inner, name) => inner[name] as Json, json);
  const last = path.at(-1) as string;
  const before = holder[last];
  holder[last] = value;
  return before;
}
