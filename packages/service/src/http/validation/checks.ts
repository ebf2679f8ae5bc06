import { type Endpoint, noBody } from '@hortus/contract/endpoint';
import { nearest } from '@hortus/template/schema/nearest';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { invalid, notFound, Problem } from '../../problem.ts';
import { findings, MAX_NAMED, UNKNOWN } from './messages.ts';
import { holdsNull, NO_NULL } from './null-character.ts';
import { queryReader } from './query.ts';

type Values = Record<string, unknown>;

/** The checks of one row of the contract. Each returns the value for the handler, or throws. */
export interface Checks {
  params(raw: unknown): Values;
  query(raw: unknown): Values;
  body(raw: unknown): unknown;
}

const compiled = new WeakMap<TSchema, Validator>();

/** Compiles a schema on first use: compiling all of them would slow down the start. */
export function validatorOf(schema: TSchema): Validator {
  let validator = compiled.get(schema);
  if (!validator) {
    validator = Compile(schema);
    compiled.set(schema, validator);
  }
  return validator;
}

export function checksOf(row: Endpoint): Checks {
  const readQuery = queryReader(row.query);
  return {
    params(raw) {
      // A malformed id is an unknown id.
      const values = raw as Values;
      if (!validatorOf(row.params).Check(values) || holdsNull(values)) throw notFound('resource');
      return values;
    },
    query(raw) {
      const values = readQuery(raw as Values);
      const query = validatorOf(row.query);
      if (!query.Check(values)) throw refusal(query.Errors(values), row.query, 'query', values);
      const field = holdsNull(values);
      if (field !== undefined) throw invalid(field, NO_NULL);
      return values;
    },
    body: row.body === noBody ? nothing : bodyCheck(row),
  };
}

function bodyCheck({ body: schema, bodyOptional }: Endpoint): Checks['body'] {
  return (raw) => {
    const body = validatorOf(schema);
    const meant = raw === undefined && bodyOptional ? {} : raw;
    if (!body.Check(meant)) throw refusal(body.Errors(meant), schema, 'body', meant);
    return meant;
  };
}

/** Accepts no body, or an empty object, which many clients always send. */
function nothing(raw: unknown): undefined {
  if (raw === undefined || raw === null) return undefined;
  const [field] = typeof raw === 'object' && !Array.isArray(raw) ? Object.keys(raw) : ['body'];
  if (field !== undefined) throw problem([{ field, message: 'is not a known field: this endpoint takes no body.' }]);
  return undefined;
}

function refusal(errors: Parameters<typeof findings>[0], schema: TSchema, whole: string, value: unknown): Problem {
  const { properties = {} } = schema as { properties?: object };
  const known = Object.keys(properties);
  const found = findings(errors, whole, value);
  const problems = found.map((finding) => {
    const meant = finding.message === UNKNOWN ? nearest(finding.field, known) : undefined;
    return meant ? { ...finding, message: `is not a known field; did you mean ${meant}?` } : finding;
  });
  return problem(
    problems.length > 0 ? problems : [{ field: whole, message: 'is not valid.' }],
    unnamed(found, properties, value),
  );
}

/** Returns the number of unknown fields beyond those that are named. */
function unnamed(found: readonly { message: string }[], properties: object, value: unknown): number {
  const named = found.filter(({ message }) => message === UNKNOWN).length;
  if (found.length < MAX_NAMED || named === 0) return 0;
  const unknown = Object.keys(value as object).filter((field) => !Object.hasOwn(properties, field));
  return Math.max(0, unknown.length - named);
}

function problem(problems: readonly { field: string; message: string }[], more = 0): Problem {
  const [first] = problems;
  const unknown = problems.filter((problem) => problem.message === UNKNOWN);
  const others = first?.message === UNKNOWN ? unknown.slice(1).map(({ field }) => field) : [];
  const named = others.length > 0 ? ` Neither are: ${others.join(', ')}.` : '';
  const hint = more > 0 ? ` ${more} more fields are not known.` : '';
  const details = { reason: 'invalid', field: first?.field, problems, ...(more > 0 && { more_problems: more }) };
  return new Problem('VALIDATION_ERROR', `${first?.field}: ${first?.message}${named}${hint}`, details);
}
