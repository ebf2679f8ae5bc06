import { type Endpoint, noBody } from '@hortus/contract/endpoint';
import { type EndpointName, endpoints } from '@hortus/contract/endpoints';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import type { ReadyRequest } from '../good-requests.ts';
import { adminPassword, type Options } from '../running-service.ts';
import type { Dice } from './dice.ts';
import { almost, hostileBody, hostileText } from './hostile.ts';
import { sampleOf } from './schema-values.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly options: Options;
  /** The body does not match the schema of the row, so the request must be refused. */
  readonly mustRefuse: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/** Rows whose effect would break all later requests, with a harmless body. */
const harmless: Partial<Record<EndpointName, (body: Body) => Body>> = {
  'account.changePassword': (body) => ({ ...body, new_password: adminPassword }),
  // A smaller plan has no room for what later requests create.
  'accounts.setPlan': (body) => ({ ...body, plan: 'enterprise' }),
};

/**
 * Creates one request to a row: its good request, values of its schemas, or these with an error. `ids` are those of
 * earlier answers, for paths of existing records.
 */
export function fuzzRequest(name: EndpointName, good: ReadyRequest, dice: Dice, ids: readonly string[]): FuzzRequest {
  const row: Endpoint = endpoints[name];
  const path = pathOf(row, good, dice, ids);
  const { body: _, ...rest } = good.options;
  const headers = { ...rest.headers, ...(row.idempotent && dice.oneIn(8) && { 'idempotency-key': ascii(dice) }) };
  const request = { method: row.method, path };
  if (row.method === 'GET') return { ...request, options: { ...rest, headers }, mustRefuse: false };
  if (dice.oneIn(10)) {
    const type = dice.of(['application/json', 'application/json; charset=utf-16', 'text/plain', 'application/xml']);
    const raw = hostileBody(dice);
    return {
      ...request,
      options: { ...rest, headers: { ...headers, 'content-type': type }, raw },
      mustRefuse: false,
    };
  }
  const made = bodyOf(row, good.body, dice);
  const body = made !== undefined && isObject(made) && harmless[name] ? harmless[name](made) : made;
  return {
    ...request,
    options: { ...rest, headers, ...(body !== undefined && { body }) },
    mustRefuse: row.body !== noBody && body !== undefined && !Value.Check(row.body, asSent(body)),
  };
}

function bodyOf(row: Endpoint, good: Body | undefined, dice: Dice): unknown {
  if (row.body === noBody) return dice.oneIn(4) ? almost({}, dice) : undefined;
  const fresh = sampleOf(row.body, dice);
  // Mostly valid bodies get further than random ones.
  const valid = dice.oneIn(3) ? fresh : { ...good, ...(isObject(fresh) && some(fresh, dice)) };
  return dice.oneIn(3) ? valid : almost(valid, dice);
}

function pathOf(row: Endpoint, good: ReadyRequest, dice: Dice, ids: readonly string[]): string {
  const others: Record<string, string> = {};
  for (const param of Object.keys(good.params)) {
    if (ids.length > 0 && dice.oneIn(6)) others[param] = dice.of(ids);
    else if (dice.oneIn(10)) others[param] = named(hostileText(dice));
  }
  const [path = '', search = ''] = good.pathWith(others).split('?');
  const query = new URLSearchParams(search);
  for (const [field, schema] of Object.entries(row.query.properties as Record<string, TSchema>)) {
    if (dice.oneIn(3)) query.set(field, String(sampleOf(schema, dice)));
    else if (dice.oneIn(6)) query.append(field, hostileText(dice).slice(0, 500));
  }
  if (dice.oneIn(10)) query.append(hostileText(dice).slice(0, 50), hostileText(dice).slice(0, 50));
  return `${path}${query.size > 0 ? `?${query}` : ''}`.slice(0, 8_000);
}

/** Paths cannot contain empty names or unpaired surrogates. */
const named = (text: string): string => text.slice(0, 600).toWellFormed() || 'x';

const ascii = (dice: Dice): string =>
  hostileText(dice)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 300);

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const some = (value: Body, dice: Dice): Body => Object.fromEntries(Object.entries(value).filter(() => dice.oneIn(2)));

/** As received: JSON has no -0 and no infinity. */
const asSent = (body: unknown): unknown => JSON.parse(JSON.stringify(body));
