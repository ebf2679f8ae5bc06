import type { FileHandle } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { byteRange } from './byte-range.ts';
import { JSON_TYPE, noSuchRange } from './errors.ts';
import { isFresh } from './prepared.ts';

/** What a handler of a row with `file` answers. The handle is closed once the answer has left. */
export interface ServedFile {
  readonly handle: FileHandle;
  readonly size: number;
  /** Strong: another content has another one. */
  readonly etag: string;
  /** What a browser would call it. */
  readonly name: string;
}

/** Sends a file from the disk without ever holding more than a piece of it: whole, in part, or not at all. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: ServedFile): Promise<FastifyReply> {
  const { handle, size, etag, name } = file;
  const { 'if-none-match': known, 'if-range': ifRange } = request.headers;
  reply.headers({ ETag: etag, 'Accept-Ranges': 'bytes', 'Cache-Control': 'private, no-cache' });
  if (known !== undefined && isFresh(known, etag)) {
    await handle.close();
    return reply.code(304).send();
  }
  // A part of something else than the caller has would spoil what he has.
  const range = ifRange === undefined || ifRange === etag ? byteRange(request.headers.range, size) : undefined;
  if (range === 'none') {
    await handle.close();
    reply.removeHeader('ETag');
    reply.headers({ 'Content-Range': `bytes */${size}`, 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store' });
    return reply.code(416).send(JSON.stringify(noSuchRange(size)));
  }
  const { first, last } = range ?? { first: 0, last: size - 1 };
  if (range) reply.code(206).header('Content-Range', `bytes ${first}-${last}/${size}`);
  reply.headers({
    'Content-Type': 'application/octet-stream',
    'Content-Length': last - first + 1,
    'Content-Disposition': `attachment; filename="${name}"`,
  });
  return reply.send(handle.createReadStream({ start: first, end: last }));
}
