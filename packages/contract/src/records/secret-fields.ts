import type { TSchema } from 'typebox';
import { secretKeyword } from './fields.ts';

/** Position of a secret in an answer, and how the secret is replaced. */
export interface SecretField {
  readonly path: readonly string[];
  readonly replacement: string;
}

type Schema = { readonly [keyword: string]: unknown };

/**
 * Lists the fields of a schema that are marked as secrets. Refuses marks inside lists and unions, because a path cannot
 * address their values; no answer of a row that accepts an Idempotency-Key needs them.
 */
export function secretFieldsOf(schema: TSchema, path: readonly string[] = []): SecretField[] {
  const { properties = {}, items, anyOf = [], [secretKeyword]: replacement } = schema as Schema;
  if (typeof replacement === 'string') return [{ path, replacement }];
  const inner = [...(anyOf as TSchema[]), ...(items === undefined ? [] : [items as TSchema])];
  if (inner.some((part) => secretFieldsOf(part).length > 0))
    throw new Error(`The answer field ${path.join('.')} holds secrets in a list or union.`);
  return Object.entries(properties as Record<string, TSchema>).flatMap(([name, field]) =>
    secretFieldsOf(field, [...path, name]),
  );
}
