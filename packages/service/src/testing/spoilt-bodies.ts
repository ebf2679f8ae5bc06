import type { Endpoint } from '@hortus/contract/endpoint';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';

/** A body that must be refused, and the field that the refusal must name. */
export interface SpoiltBody {
  readonly how: string;
  readonly field: string;
  readonly raw: string;
  readonly contentType?: string;
}

interface Bounded {
  readonly maxLength?: number;
  readonly anyOf?: readonly Bounded[];
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema & Bounded>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

const USUAL_LIMIT = 1024 * 1024;
const anything: readonly unknown[] = [42, 'x', true, [], ['x'], {}, { x: 1 }, null];

/** Returns every invalid variation of a good body that follows from its schema. */
export function spoiltBodies(row: Endpoint, good: Readonly<Record<string, unknown>>): SpoiltBody[] {
  const { properties = {}, required = [], additionalProperties } = row.body as ObjectSchema;
  const spoilt: SpoiltBody[] = [
    ...noObject(),
    {
      how: 'too large',
      field: 'body',
      raw: JSON.stringify({ ...good, x: 'x'.repeat((row.bodyLimit ?? USUAL_LIMIT) + 1) }),
    },
  ];
  const spoil = (how: string, field: string, body: object) => spoilt.push({ how, field, raw: JSON.stringify(body) });

  // Reports of daemons may contain unknown fields.
  if (additionalProperties === false) {
    for (const field of ['surprise', 'constructor']) spoil(`a field ${field}`, field, { ...good, [field]: 1 });
  }
  for (const field of required) {
    const { [field]: _, ...rest } = good;
    spoil(`no ${field}`, field, rest);
  }
  for (const [field, schema] of Object.entries(properties)) {
    for (const value of anything.filter((candidate) => !Value.Check(schema, candidate))) {
      spoil(`${field} is ${JSON.stringify(value)}`, field, { ...good, [field]: value });
    }
    const maxLength = maxLengthOf(schema);
    if (maxLength !== undefined) spoil(`${field} is too long`, field, { ...good, [field]: 'x'.repeat(maxLength + 1) });
  }
  return spoilt;
}

const maxLengthOf = ({ maxLength, anyOf = [] }: Bounded): number | undefined =>
  maxLength ?? anyOf.map(maxLengthOf).find((length) => length !== undefined);

/** Bodies that are invalid before any field is checked. */
export function noObject(): SpoiltBody[] {
  return [
    { how: 'half an object', field: 'body', raw: '{"name": ' },
    { how: 'no JSON at all', field: 'body', raw: 'name=web-1' },
    { how: 'a list', field: 'body', raw: '[]' },
    { how: 'a string', field: 'body', raw: '"x"' },
    { how: 'a number', field: 'body', raw: '0' },
    { how: 'another kind of content', field: 'Content-Type', raw: 'name=x', contentType: 'text/plain' },
    { how: 'a form', field: 'Content-Type', raw: 'name=x', contentType: 'application/x-www-form-urlencoded' },
  ];
}

export const nullSent: SpoiltBody = { how: 'null', field: 'body', raw: 'null' };
export const nothingSent: SpoiltBody = { how: 'nothing', field: 'body', raw: '' };
