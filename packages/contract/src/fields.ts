import Type, { type TSchema, type TSchemaOptions } from 'typebox';
import { type IdKind, idPattern } from './ids.ts';

/**
 * Field schemas that many records share. A schema with a `title` is a named component of the OpenAPI document; `$id` is
 * left out on purpose, because a validator that sees the same `$id` in two routes refuses the second.
 */

/** An id in an answer. */
export const id = (kind: IdKind, options: TSchemaOptions = {}) => Type.String({ pattern: idPattern(kind), ...options });

/** An id in a path or a query is any short string: a malformed one names nothing, which is a 404 and not a 422. */
export const givenId = (description: string) => Type.String({ minLength: 1, maxLength: 128, description });

export const nullable = <Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** One of a few words. `enum` rather than a union of constants: validators then say which words are allowed. */
export const choice = <const Words extends string>(words: readonly Words[], options: TSchemaOptions = {}) =>
  Type.Enum([...words], { type: 'string', ...options });

/**
 * What containers, networks and labels are named after. Docker would also take a dot; behind one the daemon writes what
 * it means by a name (`web.next`, `web.2`), so that no two instances can ever mean the same container.
 */
export const namePattern = '^[A-Za-z0-9][A-Za-z0-9_-]*$';

/** Bounded text of a person. */
export const text = (maxLength: number, options: TSchemaOptions = {}) =>
  Type.String({ minLength: 1, maxLength, ...options });

/** Keyword of a field whose value is a secret. Its text says how to replace the secret. */
export const secretKeyword = 'x-secret';

interface SecretOptions {
  readonly description: string;
  /** A sentence that tells the caller how to get another secret. */
  readonly replacement: string;
}

/** A secret in an answer. Only marked fields may hold one: replays of an Idempotency-Key rely on the mark. */
export const secret = ({ description, replacement }: SecretOptions) =>
  Type.String({ description, [secretKeyword]: replacement });

/**
 * A secret in the answer of a row that takes an Idempotency-Key: null when the answer is replayed too late. Typed as a
 * string, because only a caller that reuses its own key after minutes ever sees the null.
 */
export const shownOnce = ({ description, replacement }: SecretOptions) =>
  Type.Unsafe<string>(
    nullable(Type.String(), {
      description: `${description} Null when an Idempotency-Key is repeated after 10 minutes.`,
      [secretKeyword]: replacement,
    }),
  );
