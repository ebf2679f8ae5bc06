import Type, { type TSchema, type TSchemaOptions } from 'typebox';
import { type IdKind, idPattern } from './ids.ts';

/**
 * Field schemas that many records share. A schema with a `title` becomes a named component of the OpenAPI document.
 * `$id` is omitted on purpose: a validator that sees the same `$id` in two routes refuses the second.
 */

/** An id in an answer. */
export const id = (kind: IdKind, options: TSchemaOptions = {}) => Type.String({ pattern: idPattern(kind), ...options });

/** An id in a path or a query is any short string: a malformed id is an unknown id, hence 404 and not 422. */
export const idParam = (description: string) => Type.String({ minLength: 1, maxLength: 128, description });

export const nullable = <Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** One of a few words. Uses `enum` instead of a union of constants, so that validators list the allowed words. */
export const choice = <const Words extends string>(words: readonly Words[], options: TSchemaOptions = {}) =>
  Type.Enum([...words], { type: 'string', ...options });

/**
 * Pattern of names of containers, networks and labels. Docker also allows a dot, but the daemon puts its own suffixes
 * behind a dot (`web.next`, `web.2`), so that two instances can never share a container name.
 */
export const namePattern = '^[A-Za-z0-9][A-Za-z0-9_-]*$';

/** Bounded text for people. */
export const text = (maxLength: number, options: TSchemaOptions = {}) =>
  Type.String({ minLength: 1, maxLength, ...options });

/** Schema keyword of a field that holds a secret. Its value says how to replace the secret. */
export const secretKeyword = 'x-secret';

interface SecretOptions {
  readonly description: string;
  /** Sentence that tells the caller how to get a new secret. */
  readonly replacement: string;
}

/** A secret in an answer. Every field with a secret needs this mark: replays of an Idempotency-Key rely on it. */
export const secret = ({ description, replacement }: SecretOptions) =>
  Type.String({ description, [secretKeyword]: replacement });

/**
 * A secret in the answer of a row that accepts an Idempotency-Key: null if the answer is replayed too late. Typed as a
 * string, because only a caller that reuses its own key after minutes sees the null.
 */
export const shownOnce = ({ description, replacement }: SecretOptions) =>
  Type.Unsafe<string>(
    nullable(Type.String(), {
      description: `${description} Null when an Idempotency-Key is repeated after 10 minutes.`,
      [secretKeyword]: replacement,
    }),
  );
