import type { TObject } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { noBody } from '../endpoint.ts';
import { type ErrorCode, errorTable } from '../errors.ts';
import type { Operation, Parameter, Ref, Reply } from './document.ts';
import type { ExampleComponents } from './examples/components.ts';
import type { SchemaComponents } from './schemas.ts';
import { everyReplyHeaders, taggedReplyHeaders } from './shared.ts';

/** Returns the errors that a row can answer with, in the order of their statuses. */
function errorsOf(row: Endpoint): ErrorCode[] {
  const applies: Record<ErrorCode, boolean> = {
    UNAUTHORIZED: row.permission !== 'public',
    FORBIDDEN: row.permission !== 'public' && row.permission !== 'session',
    NOT_FOUND: Object.keys(row.params.properties).length > 0,
    VALIDATION_ERROR: row.method !== 'GET' || Object.keys(row.query.properties).length > 0,
    // Of /health too: it has no rate limit, but an address with too many connections gets it everywhere.
    RATE_LIMITED: true,
    SERVER_ERROR: true,
  };
  return (Object.keys(errorTable) as ErrorCode[]).filter((code) => applies[code] || row.errors?.includes(code));
}

function parametersOf(place: 'path' | 'query', fields: TObject, schemas: SchemaComponents): Parameter[] {
  const required = new Set(fields.required ?? []);
  return Object.entries(fields.properties).map(([name, field]) => {
    const { description, ...schema } = schemas.show(field);
    return {
      name,
      in: place,
      required: place === 'path' || required.has(name),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  });
}

const security = (row: Endpoint): Operation['security'] => {
  if (row.permission === 'public') return [];
  return [{ apiKey: [] }, { session: [], pageToken: [] }, ...(row.daemon ? [{ serverKey: [] }] : [])];
};

const FILE = 'application/octet-stream';

const replies: Record<Endpoint['status'], string> = { 200: 'Success.', 201: 'Created.', 202: 'Accepted.' };

/** Further answers of a file, for conditional and range requests. */
const partReplies: Readonly<Record<string, Reply>> = {
  206: { description: 'The part that Range requests.', headers: everyReplyHeaders },
  304: { description: 'Unchanged since the ETag in If-None-Match.', headers: everyReplyHeaders },
  416: { description: 'Range lies outside the file.', headers: everyReplyHeaders },
};

const eventsOf = ({ live }: Endpoint) => {
  if (!live) return { type: 'string' };
  const events = Object.entries(live.events).map(([event, meaning]) => `${event}: ${meaning}`);
  return { type: 'string', description: [...events, `The id of an event is ${live.ids}.`].join(' ') };
};

export function operation(
  name: string,
  row: Endpoint,
  schemas: SchemaComponents,
  examples: ExampleComponents,
): Operation {
  const shared: Ref[] = [
    ...(row.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(row.tagged && row.method !== 'GET' ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ...(row.live ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
  ];
  const body = row.body === noBody ? undefined : schemas.show(row.body);
  const response = schemas.show(row.response);
  return {
    operationId: name,
    tags: [row.tag],
    summary: row.summary,
    ...(row.description === undefined ? {} : { description: row.description }),
    'x-permission': row.permission,
    ...(row.daemon ? { 'x-server-key': true } : {}),
    security: security(row),
    parameters: [...parametersOf('path', row.params, schemas), ...parametersOf('query', row.query, schemas), ...shared],
    ...(body
      ? { requestBody: { required: !row.bodyOptional, content: { 'application/json': { schema: body } } } }
      : {}),
    responses: {
      [row.status]: {
        description: replies[row.status],
        headers: row.tagged ? taggedReplyHeaders : everyReplyHeaders,
        content: {
          [row.media ?? (row.file ? FILE : 'application/json')]: {
            schema: response,
            examples: examples.show(name, row, response, schemas.collected),
          },
          ...(row.stream || row.live ? { 'text/event-stream': { schema: eventsOf(row) } } : {}),
        },
      },
      ...(row.file ? partReplies : {}),
      ...Object.fromEntries(
        errorsOf(row).map((code) => [errorTable[code].status, { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
}
