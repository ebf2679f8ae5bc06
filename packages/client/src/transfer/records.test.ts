import { CHUNK_BYTES } from '@hortus/contract/protocol/transfer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrokenRecord, contentHeader, type Message, messageRecord, RecordReader } from './records.ts';

const contentRecord = (content: Buffer) => Buffer.concat([contentHeader(content.length), content]);
const recordOf = (item: Message | Buffer) => (Buffer.isBuffer(item) ? contentRecord(item) : messageRecord(item));

/** Reads pieces and joins neighbouring content. */
function readAll(pieces: readonly Buffer[]): (Message | string)[] {
  const reader = new RecordReader();
  const all: (Message | string)[] = [];
  for (const item of pieces.flatMap((piece) => reader.read(piece))) {
    const last = all.at(-1);
    if (!Buffer.isBuffer(item)) all.push(item);
    else if (typeof last === 'string') all.splice(-1, 1, last + item.toString('hex'));
    else all.push(item.toString('hex'));
  }
  return all;
}

const conversation = [
  { type: 'next', index: 0, key: 'a key' },
  Buffer.from('some content'),
  { type: 'alive' },
  Buffer.from([0]),
  { type: 'have', index: 1 },
] as const;
const expected = conversation.map((item) => (Buffer.isBuffer(item) ? item.toString('hex') : item));

test('records split at any byte are read whole', () => {
  const bytes = Buffer.concat(conversation.map(recordOf));
  for (let at = 0; at <= bytes.length; at++)
    expect(readAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
  expect(readAll(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected);
});

test('records are read in order, whatever pieces they arrive in', () => {
  const record = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(1_000_000).map((index): Message => ({ type: 'want', index })),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), sizes, (all, pieces) => {
      const bytes = Buffer.concat(all.map(recordOf));
      const cut: Buffer[] = [];
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = pieces[i % pieces.length] as number;
        cut.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(readAll(cut)).toEqual(readAll(all.map(recordOf)));
      expect(readAll(cut).join('')).toBe(
        all.map((item) => (Buffer.isBuffer(item) ? item.toString('hex') : String(item))).join(''),
      );
    }),
  );
});

test('content is passed on in the memory it arrived in', () => {
  const bytes = contentRecord(Buffer.alloc(5_000, 1));
  const [content] = new RecordReader().read(bytes);
  expect((content as Buffer).buffer).toBe(bytes.buffer);
});

test('a message does not change when the memory of the read is reused', () => {
  const reader = new RecordReader();
  const bytes = messageRecord({ type: 'want', index: 7 });
  const first = Buffer.from(bytes.subarray(0, 10));
  reader.read(first);
  first.fill(0);
  expect(reader.read(bytes.subarray(10))).toEqual([{ type: 'want', index: 7 }]);
});

test.each([
  ['a message over 64 KiB', Buffer.from([0, 1, 0, 1])],
  ['content over the size of a chunk', contentHeader(CHUNK_BYTES + 1)],
  ['an empty message', Buffer.alloc(4)],
  ['empty content', contentHeader(0)],
  ['a message that is not JSON', Buffer.from('\0\0\0\x01{')],
  ['a WebSocket frame', Buffer.from([0x82, 0xfe, 0x01, 0x00, 0, 0, 0, 0])],
])('%s is rejected', (_, bytes) => {
  expect(() => new RecordReader().read(bytes)).toThrow(BrokenRecord);
});
