import type { Writable } from 'node:stream';
import { BrokenFrame } from '@hortus/contract/frames';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as library from 'ws';
import { IncomingFrames } from './incoming-frames.ts';

/** Sender exists in the library but not in its types. */
const { Sender } = library as unknown as { Sender: { frame(content: Buffer, options: object): Buffer[] } & Writable };

type Kind = 'text' | 'binary' | 'ping';
const opcodes = { continuation: 0, text: 1, binary: 2, ping: 9 } as const;

function framed(content: Buffer, opcode: number, fin = true): Buffer {
  return Buffer.concat(Sender.frame(content, { fin, rsv1: false, mask: false, readOnly: true, opcode }));
}

/** Builds the frames of a message; data messages may be fragmented. */
function message(kind: Kind, content: Buffer, parts: number): Buffer {
  if (kind === 'ping') return framed(content.subarray(0, 125), opcodes.ping);
  const length = Math.ceil(content.length / parts);
  return Buffer.concat(
    Array.from({ length: parts }, (_, i) =>
      framed(
        content.subarray(i * length, (i + 1) * length),
        i === 0 ? opcodes[kind] : opcodes.continuation,
        i === parts - 1,
      ),
    ),
  );
}

const said = fc.record({
  kind: fc.constantFrom<Kind>('text', 'binary', 'ping'),
  content: fc
    .oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(65_535, 65_536))
    .map((length) => Buffer.alloc(length, 'content')),
  parts: fc.integer({ min: 1, max: 3 }),
});

test('texts come out whole and bytes in order, however the input is split', () => {
  fc.assert(
    fc.property(
      fc.array(said, { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 6 }),
      (all, sizes) => {
        const pings: string[] = [];
        const frames = new IncomingFrames((kind, payload) => pings.push(`${kind} ${payload}`));
        const bytes = Buffer.concat(all.map(({ kind, content, parts }) => message(kind, content, parts)));
        const heard: [string, string][] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          for (const one of frames.read(bytes.subarray(at, at + size))) {
            const last = heard.at(-1);
            if (!Buffer.isBuffer(one)) heard.push(['text', one]);
            else if (last?.[0] === 'binary') last[1] += one.toString();
            else heard.push(['binary', one.toString()]);
          }
          at += size;
        }
        const expected: [string, string][] = [];
        for (const { kind, content } of all.filter((one) => one.kind !== 'ping')) {
          const last = expected.at(-1);
          if (kind === 'binary' && last?.[0] === 'binary') last[1] += content.toString();
          else expected.push([kind, content.toString()]);
        }
        expect(heard).toEqual(expected);
        const controls = all.filter(({ kind }) => kind === 'ping');
        expect(pings).toEqual(controls.map(({ content }) => `ping ${content.subarray(0, 125)}`));
      },
    ),
    { numRuns: 100 },
  );
});

test('binary content is passed on without a copy', () => {
  const bytes = framed(Buffer.alloc(5_000, 1), opcodes.binary);
  const [content] = new IncomingFrames(() => undefined).read(bytes);
  expect((content as Buffer).buffer).toBe(bytes.buffer);
});

test.each([
  ['a masked frame', Buffer.from([0x82, 0x81, 0, 0, 0, 0, 1])],
  ['a text over the limit', framed(Buffer.alloc(70_000, 'a'), opcodes.text)],
])('%s is rejected', (_, bytes) => {
  expect(() => new IncomingFrames(() => undefined).read(bytes)).toThrow(BrokenFrame);
});
