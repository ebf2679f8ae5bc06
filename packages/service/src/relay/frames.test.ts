import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { BrokenFrame } from '@hortus/contract/frames';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as library from 'ws';
import { FrameTurner } from './frames.ts';

/** Parts of the library that its types do not tell of. */
const { Receiver, Sender } = library as unknown as {
  Receiver: new (options: object) => Writable;
  Sender: { frame(content: Buffer, options: object): Buffer[] };
};

interface Said {
  readonly content: Buffer;
  readonly kind: 'text' | 'binary' | 'ping' | 'pong';
  readonly masked: boolean;
}

const opcodes = { text: 1, binary: 2, ping: 9, pong: 10 } as const;

/** As a client of the library that daemons use sends it. */
function framed({ content, kind, masked }: Said): Buffer {
  const parts = Sender.frame(Buffer.from(content), {
    fin: true,
    rsv1: false,
    mask: true,
    readOnly: false,
    opcode: opcodes[kind],
    generateMask: (mask: Buffer) => (masked ? randomBytes(4).copy(mask) : mask.fill(0)),
  });
  return Buffer.concat(parts);
}

/** What a client of that library understands. */
function understood(bytes: Buffer): Buffer[] {
  const receiver = new Receiver({ isServer: false, allowSynchronousEvents: true });
  const heard: Buffer[] = [];
  receiver.on('message', (data: Buffer) => heard.push(Buffer.from(data)));
  receiver.write(bytes);
  return heard;
}

const said = fc.record({
  content: fc.oneof(
    fc.uint8Array({ maxLength: 125 }),
    fc.uint8Array({ minLength: 126, maxLength: 400 }),
    fc.constantFrom(65_535, 65_536, 70_001).map((length) => randomBytes(length)),
  ),
  kind: fc.constantFrom<Said['kind']>('binary', 'ping', 'pong'),
  masked: fc.boolean(),
});
const anything = fc
  .array(said, { maxLength: 6 })
  .map((all) => all.map((one): Said => ({ ...one, content: bounded(one.kind, Buffer.from(one.content)) })));
const bounded = (kind: Said['kind'], content: Buffer) => (kind === 'binary' ? content : content.subarray(0, 125));

test('data frames reach the other end however they are split, and control frames are not forwarded', () => {
  fc.assert(
    fc.property(
      anything,
      fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 6 }),
      (all, sizes) => {
        const controls: [string, string][] = [];
        const turner = new FrameTurner((kind, payload) => controls.push([kind, payload.toString('hex')]));
        const bytes = Buffer.concat(all.map(framed));
        const out: Buffer[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          out.push(...turner.turn(bytes.subarray(at, at + size)));
          at += size;
        }
        const messages = all.filter(({ kind }) => kind === 'binary');
        expect(understood(Buffer.concat(out))).toEqual(messages.map(({ content }) => content));
        const others = all.filter(({ kind }) => kind !== 'binary');
        expect(controls).toEqual(others.map(({ kind, content }) => [kind, content.toString('hex')]));
        expect(turner.carried).toBe(messages.reduce((sum, { content }) => sum + content.length, 0));
        expect(turner.betweenFrames).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
});

test('content is forwarded without a copy', () => {
  const bytes = framed({ content: randomBytes(5_000), kind: 'binary', masked: false });
  const [, content] = new FrameTurner(() => undefined).turn(bytes);
  expect(content?.buffer).toBe(bytes.buffer);
});

test('the relay knows whether it is between two frames, where it may insert its own', () => {
  const turner = new FrameTurner(() => undefined);
  const bytes = framed({ content: randomBytes(100), kind: 'binary', masked: true });
  turner.turn(bytes.subarray(0, 50));
  expect(turner.betweenFrames).toBe(false);
  turner.turn(bytes.subarray(50));
  expect(turner.betweenFrames).toBe(true);
});

test.each([
  ['not masked', Buffer.from([0x82, 0x01, 0x00])],
  ['of an extension', Buffer.from([0xc2, 0x80, 0, 0, 0, 0])],
  ['of an unknown type', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
  ['a fragmented ping', Buffer.from([0x09, 0x80, 0, 0, 0, 0])],
  ['a long ping', Buffer.from([0x89, 0xfe, 0x00, 0xff, 0, 0, 0, 0])],
  ['longer than the limit', Buffer.from([0x82, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
])('a frame that is %s is refused', (_, bytes) => {
  expect(() => new FrameTurner(() => undefined).turn(bytes)).toThrow(BrokenFrame);
});
