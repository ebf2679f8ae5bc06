import { type Endpoint, noBody } from '@hortus/contract/endpoint';
import { endpointRows } from '@hortus/contract/endpoints';
import { ErrorBody } from '@hortus/contract/envelope';
import { errorTable } from '@hortus/contract/errors';
import { eventMeanings } from '@hortus/contract/events';
import type { JsonSchema } from '@hortus/contract/openapi/document';
import { SchemaComponents } from '@hortus/contract/openapi/schemas';
import { WebhookBody } from '@hortus/contract/resources/webhooks';
import { comment, fieldsOf, propertyName, typeOf } from './schema-type.ts';

/**
 * Writes the types of the contract as plain declarations. Those in the source are derived from TypeBox schemas; with these, a
 * program that uses the client needs no TypeBox and compiles sooner.
 */
export function contractDeclarations(): string {
  const schemas = new SchemaComponents();
  for (const schema of [ErrorBody, WebhookBody]) schemas.show(schema);
  const rows = endpointRows.map(([name, row]) => endpointType(name, row, schemas));
  const records = Object.entries(schemas.collected)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => recordType(name, schema));
  return indented([fixed, words('ErrorCode', errorTable), words('EventName', eventMeanings), ...records, table(rows)]);
}

/** Types that client.ts and others import from the contract, for the table below instead of TypeBox schemas. */
const fixed = `// Generated from the endpoint table of the contract.

declare const bytes: unique symbol;
/** Type of the bytes of a file; it never occurs in JSON. */
export interface FileBytes {
readonly [bytes]: true;
}

/** A row of the table of endpoints. */
export interface Endpoint {
readonly method: string;
readonly path: string;
}

export type EndpointName = keyof Endpoints;
/** Names of the endpoints with a stream. */
export type LiveName = {
[Name in EndpointName]: Endpoints[Name] extends { live: true } ? Name : never;
}[EndpointName];
export type ParamsOf<E> = E extends { params: infer Params } ? Params : never;
export type QueryOf<E> = E extends { query: infer Query } ? Query : never;
export type BodyOf<E> = E extends { body: infer Body } ? Body : never;
export type ResponseOf<E> = E extends { response: infer Response } ? Response : never;
`;

const words = (name: string, table: object): string =>
  `export type ${name} =\n${Object.keys(table)
    .map((word) => `| '${word}'`)
    .join('\n')};\n`;

function recordType(name: string, schema: JsonSchema): string {
  const about = comment(schema.description);
  const isObject = schema.type === 'object' && schema.patternProperties === undefined;
  return isObject
    ? `${about}export interface ${name} ${fieldsOf(schema)}\n`
    : `${about}export type ${name} = ${typeOf(schema)};\n`;
}

function endpointType(name: string, row: Endpoint, schemas: SchemaComponents): string {
  const about = [`${row.method} ${row.path}: ${row.summary}.`, row.description, permissionOf(row)];
  const parts = [
    `params: ${fieldsOf(schemas.show(row.params))};`,
    `query: ${fieldsOf(schemas.show(row.query))};`,
    `body: ${row.body === noBody ? 'undefined' : typeOf(schemas.show(row.body))};`,
    `response: ${typeOf(schemas.show(row.response))};`,
    ...(row.live ? ['live: true;'] : []),
  ];
  return `${comment(about.filter(Boolean).join(' '))}${propertyName(name)}: {\n${parts.join('\n')}\n};\n`;
}

const permissionOf = ({ permission }: Endpoint): string | undefined =>
  permission === 'public' || permission === 'session' ? undefined : `Needs the permission ${permission}.`;

const table = (rows: readonly string[]): string =>
  `/** Every endpoint with its parameters, body and response. */\nexport interface Endpoints {\n${rows.join('')}}\n`;

/** Indents by braces; comments are single lines and contain none that count. */
function indented(blocks: readonly string[]): string {
  let depth = 0;
  const lines = blocks
    .join('\n')
    .split('\n')
    .map((line) => {
      if (line.startsWith('}')) depth--;
      const shown = line === '' ? '' : `${'  '.repeat(depth)}${line}`;
      if (!line.startsWith('/') && line.endsWith('{')) depth++;
      return shown;
    });
  return lines.join('\n');
}
