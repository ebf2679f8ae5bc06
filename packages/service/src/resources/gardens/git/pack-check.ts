import { inflateSync, type Zlib } from 'node:zlib';
import { invalid } from '../../../problem.ts';

/** A repository beyond these limits is refused before the library sees it, because it inflates objects in memory. */
export const packLimits = {
  /** Bytes of the pack as received. */
  packBytes: 32 * 1024 * 1024,
  objects: 20_000,
  /** Size of one object, inflated and with its delta applied. */
  objectBytes: 8 * 1024 * 1024,
  /** Sizes of all objects together. */
  allBytes: 64 * 1024 * 1024,
} as const;

export type PackLimits = { readonly [Name in keyof typeof packLimits]: number };

const HEADER_BYTES = 12;
const OFS_DELTA = 6;
const REF_DELTA = 7;
const HASH_BYTES = 20;

/** Walks through all objects of a pack and throws if it is malformed or exceeds a limit. Keeps nothing. */
export function checkPack(pack: Uint8Array, limits: PackLimits = packLimits): void {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength);
  if (bytes.length > limits.packBytes) throw tooLarge(`is larger than ${limits.packBytes} bytes`);
  if (bytes.length < HEADER_BYTES + HASH_BYTES || bytes.toString('latin1', 0, 4) !== 'PACK') throw malformed();
  const version = bytes.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw malformed();
  const count = bytes.readUInt32BE(8);
  if (count > limits.objects) throw tooLarge(`has ${count} objects, more than ${limits.objects}`);
  const end = bytes.length - HASH_BYTES;
  let all = 0;
  let at = HEADER_BYTES;
  for (let index = 0; index < count; index++) {
    const object = readObject(bytes, at, end, limits);
    all += object.size;
    if (all > limits.allBytes) throw tooLarge(`has more than ${limits.allBytes} bytes of content`);
    at = object.end;
  }
  if (at !== end) throw malformed();
}

function readObject(bytes: Buffer, start: number, end: number, { objectBytes }: PackLimits) {
  const type = ((bytes[start] ?? 0) >> 4) & 7;
  let at = start;
  let size = byteAt(bytes, at, end) & 15;
  for (let factor = 16; byteAt(bytes, at, end) & 128; factor *= 128) size += (byteAt(bytes, ++at, end) & 127) * factor;
  at++;
  if (type === 0 || type === 5) throw malformed();
  if (type === OFS_DELTA) while (byteAt(bytes, at++, end) & 128);
  if (type === REF_DELTA) at += HASH_BYTES;
  if (size > objectBytes) throw tooLarge(`has an object of ${size} bytes, more than ${objectBytes}`);
  const { content, used } = inflate(bytes.subarray(at, end), size);
  const isDelta = type === OFS_DELTA || type === REF_DELTA;
  const whole = isDelta ? sizeAfter(content) : size;
  if (whole > objectBytes) throw tooLarge(`has an object of ${whole} bytes, more than ${objectBytes}`);
  return { size: Math.max(size, whole), end: at + used };
}

/** Inflates one object, at most to its announced size. */
function inflate(bytes: Buffer, size: number): { content: Buffer; used: number } {
  try {
    const options = { info: true, maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, Math.min(size, 65_536)) };
    const { buffer, engine } = inflateSync(bytes, options) as unknown as { buffer: Buffer; engine: Zlib };
    if (buffer.length !== size) throw malformed();
    return { content: buffer, used: engine.bytesWritten };
  } catch {
    // Also an object that inflates to more than it says.
    throw malformed();
  }
}

/** Reads the size of the result from a delta, which begins with two numbers. */
function sizeAfter(delta: Buffer): number {
  let at = 0;
  let size = 0;
  for (let number = 0; number < 2; number++) {
    size = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = byteAt(delta, at++, delta.length);
      size += (byte & 127) * factor;
      if (byte < 128) break;
    }
  }
  return size;
}

function byteAt(bytes: Buffer, at: number, end: number): number {
  const byte = at < end ? bytes[at] : undefined;
  if (byte === undefined) throw malformed();
  return byte;
}

const malformed = () => invalid('repository', 'sent data that is no valid pack.', { reason: 'malformed' });

const tooLarge = (what: string) =>
  invalid('repository', `${what}; keep the garden in a smaller repository.`, { reason: 'too_large' });
