import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '@hortus/contract/endpoint';
import { invalid } from '../problem.ts';
import type { Guard } from '../process/guard.ts';
import type { BodyRoom } from './body-budget.ts';
import { BodyBytes } from './body-bytes.ts';
import type { LoopTime } from './loop-time.ts';
import { parseJson } from './validation/json.ts';
import { JsonSize } from './validation/json-size.ts';
import type { ReadBody } from './validation/large-body.ts';

/** Limits of a body, from its row of the contract. */
export type BodySize = Pick<Endpoint, 'bodyLimit' | 'bodyValues'>;

/** Bodies up to this size are parsed on the event loop, in 5 ms at the worst; larger ones in the worker pool. */
const SMALL_BODY = { bytes: 256 * 1024, values: 3_000 };

export interface BodyReading {
  readonly size: BodySize;
  /** Parses and checks a large body off the event loop; see `validation/large-body.ts`. */
  readonly readLarge: (bytes: Uint8Array) => Promise<ReadBody>;
  readonly room: BodyRoom;
  /** Counts a chunk, and returns the milliseconds to wait before the next one; see `BodyPace`. */
  readonly waitAfter: (chunkBytes: number) => number;
  readonly loop: LoopTime;
  readonly guard: Guard;
}

/** Reads a JSON body; an empty body is undefined. */
export async function readBody(request: IncomingMessage, reading: BodyReading): Promise<ReadBody> {
  const { bodyLimit: limit, bodyValues } = reading.size;
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (type === undefined && encoding === undefined && (length === undefined || length === '0'))
    return { body: undefined };
  if (!isJson(type)) throw invalid('Content-Type', 'must be application/json.');
  if (length !== undefined && Number(length) > limit) throw tooLarge(limit);
  const size = new JsonSize(bodyValues);
  const bytes = await bytesOf(request, { ...reading, limit, count: (chunk) => size.add(chunk) });
  if (reading.loop.isSpent) await reading.loop.turn();
  const isSmall = bytes.length <= SMALL_BODY.bytes && size.values <= SMALL_BODY.values;
  return isSmall ? { body: parseJson(bytes.toString()) } : reading.readLarge(bytes);
}

function isJson(type: string | undefined): boolean {
  if (type === 'application/json') return true;
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

const tooLarge = (limit: number) => invalid('body', `must not be larger than ${limit} bytes.`);

type RawReading = Pick<BodyReading, 'room' | 'waitAfter' | 'loop' | 'guard'> & { readonly limit: number };

/** Reads a body of any type as it is. */
export async function readBytes(request: IncomingMessage, reading: RawReading): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > reading.limit) throw tooLarge(reading.limit);
  return await bytesOf(request, { ...reading, count: () => {} });
}

/** Rejects as soon as a limit is exceeded; drops further bytes. */
function bytesOf(
  request: IncomingMessage,
  { limit, count, room, waitAfter, loop, guard }: RawReading & { readonly count: (chunk: Buffer) => void },
): Promise<Buffer> {
  return new Promise((done, fail) => {
    let read: BodyBytes | undefined = new BodyBytes(
      Math.min(limit, Number(request.headers['content-length'] ?? limit)),
    );
    const giveUp = (error: unknown) => {
      request.off('data', guardedTake);
      read?.drop();
      read = undefined;
      request.resume();
      fail(error);
    };
    const guardedResume = guard(() => request.resume());
    const guardedTake = guard((chunk: Buffer) => {
      try {
        if ((read?.length ?? 0) + chunk.length > limit) throw tooLarge(limit);
        room.take(read?.costOf(chunk.length) ?? 0);
        count(chunk);
        read?.add(chunk);
      } catch (error) {
        giveUp(error);
        return;
      }
      const waitMs = waitAfter(chunk.length);
      // A socket can have megabytes ready, and dozens of sockets at the same time.
      if (waitMs === 0 && !loop.isSpent) return;
      request.pause();
      if (waitMs > 0) setTimeout(guardedResume, waitMs).unref();
      else loop.later(guardedResume);
    });
    const end = () => {
      try {
        if (read) done(read.take());
      } catch (error) {
        // Such as a lack of memory: the guard would only log it, and the request would never be answered.
        giveUp(error);
      }
    };
    request.on('data', guardedTake);
    request.on('end', guard(end));
    request.on('error', guard(giveUp));
  });
}
