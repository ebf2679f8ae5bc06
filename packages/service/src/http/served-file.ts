import type { FileHandle } from 'node:fs/promises';
import { byteRange } from './byte-range.ts';
import { noSuchRange } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { isFresh } from './prepared.ts';

/** Answer of a handler of a row with `file`. The handle is closed once the answer was sent. */
export interface ServedFile {
  readonly handle: FileHandle;
  readonly size: number;
  /** Strong: it changes with the content. */
  readonly etag: string;
  /** File name for browsers. */
  readonly name: string;
}

/** Streams a file from disk: whole, in part, or not at all. */
export async function sendFile(exchange: Exchange, file: ServedFile): Promise<void> {
  const { handle, size, etag, name } = file;
  const { 'if-none-match': known, 'if-range': ifRange } = exchange.headers;
  exchange.with({ ETag: etag, 'Accept-Ranges': 'bytes', 'Cache-Control': 'private, no-cache' });
  if (known !== undefined && isFresh(known, etag)) {
    await handle.close();
    exchange.status = 304;
    return exchange.send();
  }
  // Send a range only if the caller has the same version of the file.
  const range = ifRange === undefined || ifRange === etag ? byteRange(exchange.headers.range, size) : undefined;
  if (range === 'none') {
    await handle.close();
    exchange.status = 416;
    exchange.without('ETag').with({ 'Content-Range': `bytes */${size}`, 'Cache-Control': 'no-store' });
    return exchange.json(noSuchRange(size));
  }
  const { first, last } = range ?? { first: 0, last: size - 1 };
  if (range) {
    exchange.status = 206;
    exchange.with({ 'Content-Range': `bytes ${first}-${last}/${size}` });
  }
  exchange.with({
    'Content-Type': 'application/octet-stream',
    'Content-Length': last - first + 1,
    'Content-Disposition': `attachment; filename="${name}"`,
  });
  exchange.send(handle.createReadStream({ start: first, end: last }));
}
