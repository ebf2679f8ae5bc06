import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkPack, type PackLimits } from './pack-check.ts';

const limits: PackLimits = { packBytes: 100_000, objects: 10, objectBytes: 2_000, allBytes: 5_000 };
const BLOB = 3;
const OFS_DELTA = 6;

interface Packed {
  readonly type: number;
  readonly content: Uint8Array;
  /** Announced size; by default the true one. */
  readonly size?: number;
  readonly between?: readonly number[];
}

function header(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  let rest = Math.floor(size / 16);
  while (rest > 0) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest % 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from(bytes);
}

function pack(objects: readonly Packed[], count = objects.length): Uint8Array {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count, 8);
  const parts = objects.flatMap(({ type, content, size = content.length, between = [] }) => [
    header(type, size),
    Buffer.from(between),
    deflateSync(content),
  ]);
  const bytes = Buffer.concat([head, ...parts]);
  return new Uint8Array(Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]));
}

const blob = (length: number, size?: number): Packed => ({
  type: BLOB,
  content: Buffer.alloc(length, 'a'),
  ...(size !== undefined && { size }),
});

const refused = (bytes: Uint8Array, message: string) =>
  expect(() => checkPack(bytes, limits)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message) }),
  );

describe('a pack', () => {
  it('with objects of all sizes within the limits passes', () => {
    checkPack(pack([blob(0), blob(1), blob(15), blob(16), blob(1_999), blob(2_000)]), limits);
  });

  it('is refused if it announces more objects than allowed, before any is read', () => {
    refused(pack([blob(1)], 11), 'has 11 objects');
    refused(pack([blob(1)], 0xffff_ffff), 'has 4294967295 objects');
  });

  it('is refused if an object is too large, also if it compresses well', () => {
    refused(pack([blob(2_001)]), 'has an object of 2001 bytes');
    refused(pack([blob(1, 2 ** 40)]), 'has an object of 1099511627776 bytes');
  });

  it('is refused if an object inflates to more than it announces', () => {
    refused(pack([blob(50_000_000, 10)]), 'no valid pack');
    refused(pack([blob(10, 11)]), 'no valid pack');
  });

  it('is refused if its objects are too large together', () => {
    refused(pack([blob(2_000), blob(2_000), blob(2_000)]), 'more than 5000 bytes');
  });

  it('counts the result of a delta, not its own size', () => {
    // Source size 10, result size 16,383: two bytes each.
    const delta = { type: OFS_DELTA, content: Buffer.from([10, 0xff, 0x7f, 0x90, 10]), between: [5] };
    refused(pack([blob(10), delta]), 'has an object of 16383 bytes');
  });

  it('is refused if it is cut off, has bytes left, or is something else', () => {
    const whole = pack([blob(100)]);
    for (let length = 0; length < whole.length; length++) refused(whole.slice(0, length), 'no valid pack');
    refused(pack([blob(1), blob(1)], 1), 'no valid pack');
    refused(Buffer.from('<html>'.repeat(20)), 'no valid pack');
    refused(new Uint8Array(100_001), 'is larger than 100000 bytes');
  });
});
