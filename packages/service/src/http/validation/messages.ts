import { nearest } from '@hortus/template/schema/nearest';
import type { TLocalizedValidationError } from 'typebox/error';
import { Pointer } from 'typebox/value';
import { formatWords } from './formats.ts';

/** Message for a field that the schema does not have. */
export const UNKNOWN = 'is not a known field.';

export interface Finding {
  /** In dotted notation: `inputs.WEB_HOSTNAME`, `events[2]`. */
  readonly field: string;
  readonly message: string;
}

/** Maximum number of named fields; further ones are counted, because a caller may send any number of unknown fields. */
export const MAX_NAMED = 8;

/**
 * Converts errors of the validator to messages, one per field, for the first few fields. `whole` is the name of the
 * value itself. Values are never repeated, because one may be a password.
 */
export function findings(errors: readonly TLocalizedValidationError[], whole: string, value?: unknown): Finding[] {
  const found = new Map<string, string>();
  const types = new Map<string, string[]>();
  const say = (field: string, message: string) => {
    if (found.size < MAX_NAMED && !found.has(field)) found.set(field, message);
  };
  for (const error of errors) {
    const path = error.instancePath;
    if (error.keyword === 'required') {
      for (const name of error.params.requiredProperties) say(fieldName(`${path}/${name}`, whole), 'is required.');
    } else if (error.keyword === 'additionalProperties') {
      const names = error.params.additionalProperties;
      for (const name of names.slice(0, MAX_NAMED)) say(fieldName(`${path}/${escaped(name)}`, whole), UNKNOWN);
    } else if (error.keyword === 'boolean' && error.schemaPath.endsWith('/additionalProperties')) {
      // The validator reports at most eight problems: with eight unknown fields it never reports the list of their
      // names.
      say(fieldName(path, whole), UNKNOWN);
    } else if (error.keyword === 'type') {
      types.set(path, [...(types.get(path) ?? []), String(error.params.type)]);
    } else {
      const message = words(error);
      if (message) say(fieldName(path, whole), `${message}${suggestion(error, value)}`);
    }
  }
  // The branch of a union whose type matched gives a better message than the others.
  for (const [path, wanted] of types) say(fieldName(path, whole), `must be ${eitherOf(wanted)}.`);
  return [...found].map(([field, message]) => ({ field, message }));
}

/** Suggests the intended word of an enum. Does not repeat the given word. */
function suggestion(error: TLocalizedValidationError, value: unknown): string {
  if (error.keyword !== 'enum') return '';
  const input = Pointer.Get(value, error.instancePath);
  const meant = typeof input === 'string' ? nearest(input, error.params.allowedValues.map(String)) : undefined;
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

function words(error: TLocalizedValidationError): string | undefined {
  switch (error.keyword) {
    case 'minLength':
      return error.params.limit === 1 ? 'must not be empty.' : `must have at least ${error.params.limit} characters.`;
    case 'maxLength':
      return `must have at most ${error.params.limit} characters.`;
    case 'minimum':
      return `must be at least ${error.params.limit}.`;
    case 'maximum':
      return `must be at most ${error.params.limit}.`;
    case 'exclusiveMinimum':
      return `must be more than ${error.params.limit}.`;
    case 'exclusiveMaximum':
      return `must be less than ${error.params.limit}.`;
    case 'multipleOf':
      return `must be a multiple of ${error.params.multipleOf}.`;
    case 'minItems':
      return error.params.limit === 1 ? 'must not be empty.' : `must have at least ${error.params.limit} entries.`;
    case 'maxItems':
      return `must have at most ${error.params.limit} entries.`;
    case 'minProperties':
      return `must have at least ${error.params.limit} fields.`;
    case 'maxProperties':
      return `must have at most ${error.params.limit} fields.`;
    case 'uniqueItems':
      return 'must not have the same entry twice.';
    case 'pattern':
      return `must match the pattern ${error.params.pattern}.`;
    case 'format':
      return `${formatWords[error.params.format] ?? `must be a valid ${error.params.format}`}.`;
    case 'enum':
      return `must be one of ${error.params.allowedValues.join(', ')}.`;
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}.`;
    // These two only summarize other errors.
    case 'anyOf':
    case 'boolean':
      return undefined;
    default:
      return `${error.message}.`;
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function eitherOf(types: readonly string[]): string {
  const all = [...new Set(types)].map((type) => typeWords[type] ?? type);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Names of unknown fields may have any length; the message shows only their beginning. */
const MAX_NAME_LENGTH = 80;

function fieldName(pointer: string, whole: string): string {
  if (pointer === '') return whole;
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (part.length > MAX_NAME_LENGTH ? `${part.slice(0, MAX_NAME_LENGTH)}…` : part))
    .reduce((path, part) => (/^\d+$/.test(part) && path ? `${path}[${part}]` : path ? `${path}.${part}` : part), '');
}
