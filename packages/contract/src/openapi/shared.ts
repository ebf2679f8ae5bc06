import { ErrorBody } from '../envelope.ts';
import { type ErrorCode, errorTable } from '../errors.ts';
import { pageTokenHeader, pageTokenProtocol } from '../protocol/page-token.ts';
import { hostSessionCookie, sessionCookie } from '../resources/sign-in.ts';
import type { Header, Parameter, Ref, Reply } from './document.ts';
import type { SchemaComponents } from './schemas.ts';

/** Headers, parameters and errors that operations share, as referenced components. */
export const headers: Readonly<Record<string, Header>> = {
  'X-RateLimit-Limit': { description: 'Requests that the caller may make per minute.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left in this minute.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'End of the current minute, in epoch seconds.', schema: { type: 'integer' } },
  'X-Request-Id': { description: 'Id of this request in the logs of the service.', schema: { type: 'string' } },
  ETag: { description: 'Version of the record, for If-Match.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
};

const headerRef = (name: string): [string, Ref] => [name, { $ref: `#/components/headers/${name}` }];

export const everyReplyHeaders: Readonly<Record<string, Ref>> = Object.fromEntries(
  Object.keys(headers)
    .filter((name) => name !== 'Retry-After' && name !== 'ETag')
    .map(headerRef),
);

export const taggedReplyHeaders: Readonly<Record<string, Ref>> = {
  ...everyReplyHeaders,
  ...Object.fromEntries([headerRef('ETag')]),
};

export function errorReplies(schemas: SchemaComponents): Record<ErrorCode, Reply> {
  const schema = schemas.show(ErrorBody);
  const reply = (code: ErrorCode): Reply => ({
    description: `${code}: ${errorTable[code].meaning}`,
    headers:
      code === 'RATE_LIMITED'
        ? { ...everyReplyHeaders, ...Object.fromEntries([headerRef('Retry-After')]) }
        : everyReplyHeaders,
    content: { 'application/json': { schema } },
  });
  const codes = Object.keys(errorTable) as ErrorCode[];
  return Object.fromEntries(codes.map((code) => [code, reply(code)])) as Record<ErrorCode, Reply>;
}

export const parameters: Readonly<Record<string, Parameter>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A unique string chosen by the client. Within 24 hours the same key and body from the same credential return the first answer again (its secrets for 10 minutes); a different body is refused.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'With Accept: text/event-stream: the id of the last event received. The stream resumes after it.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of the version that was read. If the record has changed since, the request is refused with a VALIDATION_ERROR and the reason stale.',
    schema: { type: 'string', minLength: 1, maxLength: 1000 },
  },
};

export const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of an account: hk_live_… or hk_test_….' },
  serverKey: { type: 'http', scheme: 'bearer', description: 'The key of a server: hs_live_… or hs_test_….' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: `A session of the console, valid only together with its page token; over TLS the cookie is ${hostSessionCookie}.`,
  },
  pageToken: {
    type: 'apiKey',
    in: 'header',
    name: pageTokenHeader,
    description: `The second half of a session, from the answer that began it. A WebSocket offers it as the subprotocol ${pageTokenProtocol}<token> instead.`,
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Signature',
    description:
      'Authenticates Hortus to a webhook endpoint: HMAC-SHA256 of the raw body, keyed with the secret of the endpoint.',
  },
} as const;
