import type { IncomingMessage } from 'node:http';
import type { Guard } from '../guard.ts';
import { isTooDeep, MOST_LEVELS } from '../nesting.ts';
import { invalid, Problem } from '../problem.ts';
import type { BodyRoom } from './body-budget.ts';
import { fieldWithNull, NO_NULL } from './validation/null-character.ts';
import { holdsPrototype } from './validation/prototype.ts';

/** What a request may carry unless its row says otherwise. */
export const BODY_LIMIT = 1024 * 1024;

export interface BodyReading {
  readonly limit?: number | undefined;
  readonly room: BodyRoom;
  readonly guard: Guard;
}

/** Bodies are JSON and nothing else; an empty one is none. */
export async function readBody(request: IncomingMessage, reading: BodyReading): Promise<unknown> {
  const { limit = BODY_LIMIT } = reading;
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (type === undefined && encoding === undefined && (length === undefined || length === '0')) return undefined;
  if (!isJson(type)) throw invalid('Content-Type', 'must be application/json.');
  if (length !== undefined && Number(length) > limit) throw tooLarge(limit);
  return parsed(await textOf(request, { ...reading, limit }));
}

function isJson(type: string | undefined): boolean {
  if (type === 'application/json') return true;
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

const tooLarge = (limit: number) => invalid('body', `must not be larger than ${limit} bytes.`);

/** A body in small pieces would cost many times its bytes: so many of them are made one. */
const MOST_PIECES = 256;

/** Rejects as soon as a limit is passed, and then keeps nothing: what still comes is dropped. */
function textOf(request: IncomingMessage, { limit, room, guard }: BodyReading & { limit: number }): Promise<string> {
  return new Promise((done, fail) => {
    let chunks: Buffer[] = [];
    let pieces: Buffer[] = [];
    let bytes = 0;
    const whole = () => (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    const join = () => {
      if (pieces.length > 0) chunks.push(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
      pieces = [];
    };
    const giveUp = (error: unknown) => {
      request.off('data', guardedTake);
      chunks = [];
      pieces = [];
      request.resume();
      fail(error);
    };
    const guardedTake = guard((chunk: Buffer) => {
      bytes += chunk.length;
      try {
        if (bytes > limit) throw tooLarge(limit);
        room.take(chunk.length);
      } catch (error) {
        giveUp(error);
        return;
      }
      pieces.push(chunk);
      if (pieces.length >= MOST_PIECES) join();
    });
    const end = () => {
      join();
      done(whole().toString());
    };
    request.on('data', guardedTake);
    request.on('end', guard(end));
    request.on('error', guard(giveUp));
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
  if (isTooDeep(value)) throw invalid('body', `must not be nested deeper than ${MOST_LEVELS} levels.`);
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
