import type { IncomingMessage } from 'node:http';
import { invalid, Problem } from '../problem.ts';
import { fieldWithNull, NO_NULL } from './validation/null-character.ts';
import { holdsPrototype } from './validation/prototype.ts';

/** What a request may carry unless its row says otherwise. */
export const BODY_LIMIT = 1024 * 1024;

/** Bodies are JSON and nothing else; an empty one is none. */
export async function readBody(request: IncomingMessage, limit = BODY_LIMIT): Promise<unknown> {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (type === undefined && encoding === undefined && (length === undefined || length === '0')) return undefined;
  if (!isJson(type)) throw invalid('Content-Type', 'must be application/json.');
  if (length !== undefined && Number(length) > limit) throw tooLarge(limit);
  return parsed(await textOf(request, limit));
}

function isJson(type: string | undefined): boolean {
  if (type === 'application/json') return true;
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

const tooLarge = (limit: number) => invalid('body', `must not be larger than ${limit} bytes.`);

/** What is too long is still read to its end, and dropped: a caller who is cut off in the middle does not see why. */
function textOf(request: IncomingMessage, limit: number): Promise<string> {
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) chunks.push(chunk);
      else fail(tooLarge(limit));
    });
    request.on('end', () => done((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()));
    request.on('error', fail);
  });
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  let value: unknown;
  try {
    // Some editors and shells put a byte order mark before what they send.
    value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    throw malformed();
  }
  // Only written like this can they stand in JSON, so that hardly any body has to be searched.
  const escapes = text.includes('\\u');
  if ((escapes || text.includes('"__proto__"') || text.includes('"constructor"')) && holdsPrototype(value))
    throw malformed();
  const field = escapes && text.includes('\\u0000') ? fieldWithNull(value) : undefined;
  if (field !== undefined) throw invalid(field, NO_NULL);
  return value;
}

const malformed = () =>
  new Problem('VALIDATION_ERROR', 'body: is not valid JSON.', { reason: 'invalid', field: 'body' });
