import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '@hortus/contract/endpoint';
import { type EndpointName, endpoints } from '@hortus/contract/endpoints';
import type { TSchema } from 'typebox';
import { conflict } from '../problem.ts';
import { type CallParts, callOf } from './call.ts';
import type { Exchange } from './exchange.ts';
import { type Checks, checksOf, validatorOf } from './validation/checks.ts';

type Fields = Record<string, unknown>;
type Read = (call: unknown) => Promise<unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsOf = (schema: TSchema | undefined): Record<string, TSchema> =>
  (schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {};

/**
 * Lets a caller send back a record as it was read: drops read-only fields that are unchanged, and refuses changed ones
 * by name. Undefined for rows that change no record.
 */
export function sentBack(parts: CallParts, row: Endpoint, handlers: Readonly<Record<string, unknown>>) {
  if (row.record === undefined) return undefined;
  const { read: name, observed = [] } = row.record;
  const reading = endpoints[name as EndpointName] as Endpoint;
  const read = handlers[name] as Read;
  const checks: Checks = { ...checksOf(reading), query: () => ({}), body: () => undefined };
  const taken = fieldsOf(row.body);
  const shown = fieldsOf(fieldsOf(reading.response).data);
  const ignored = new Set(['updated_at', ...observed]);

  return async (exchange: Exchange): Promise<unknown> => {
    const { body } = exchange;
    if (!isObject(body)) return body;
    const own = Object.keys(body).filter((field) => Object.hasOwn(shown, field) && !Object.hasOwn(taken, field));
    if (own.length === 0) return body;
    const { data } = (await read(callOf(parts, reading, checks, exchange))) as { data: Fields };
    const changed = own.find((field) => !ignored.has(field) && !isDeepStrictEqual(body[field], data[field]));
    if (changed !== undefined)
      throw conflict(changed, 'read_only', 'is set by the service and differs from the record; leave it out.');
    // Writable fields may be shown in a form that is not accepted, such as null for none; drop them if unchanged.
    const kept = Object.entries(body).filter(([field, value]) => {
      if (own.includes(field)) return false;
      const schema = taken[field];
      return !schema || !isDeepStrictEqual(value, data[field]) || validatorOf(schema).Check(value);
    });
    return Object.fromEntries(kept);
  };
}
