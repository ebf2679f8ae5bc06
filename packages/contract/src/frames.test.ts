import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyMask, clientHeader, FrameScanner, opcodes } from './frames.ts';

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((all) => Buffer.from(all));

test('masking gives the same bytes for any alignment, length and offset', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      bytes(4),
      fc.nat(20),
      fc.nat(10),
      (content, mask, offset, before) => {
        const memory = Buffer.alloc(offset + content.length + 9, 0x55);
        const part = memory.subarray(offset, offset + content.length);
        part.set(content);
        applyMask(part, mask, before);
        expect([...part]).toEqual([...content].map((byte, i) => byte ^ (mask[(before + i) % 4] as number)));
        expect(memory.subarray(0, offset).every((byte) => byte === 0x55)).toBe(true);
        expect(memory.subarray(offset + content.length).every((byte) => byte === 0x55)).toBe(true);
      },
    ),
  );
});

test('masked frames are read back, however they are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.uint8Array({ maxLength: 300 }), bytes(4)), { maxLength: 5 }),
      fc.integer({ min: 1, max: 400 }),
      (messages, size) => {
        const read: Buffer[] = [];
        let parts: Buffer[] = [];
        let key: Buffer | undefined;
        let before = 0;
        const scanner = new FrameScanner('client', {
          begin: ({ mask }) => {
            [parts, key, before] = [[], mask, 0];
          },
          content: (part) => {
            applyMask(part, key ?? expect.fail('no mask'), before);
            before += part.length;
            parts.push(part);
          },
          end: () => read.push(Buffer.concat(parts)),
          control: () => undefined,
        });
        const sent = Buffer.concat(
          messages.flatMap(([content, mask]) => {
            const payload = Buffer.from(content);
            applyMask(payload, mask, 0);
            return [clientHeader(opcodes.binary, payload.length, mask), payload];
          }),
        );
        for (let at = 0; at < sent.length; at += size) scanner.read(sent.subarray(at, at + size));
        expect(read).toEqual(messages.map(([content]) => Buffer.from(content)));
      },
    ),
  );
});
