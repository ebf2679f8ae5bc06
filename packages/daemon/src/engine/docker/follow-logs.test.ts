import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineAssembler } from '../../container-logs/line-assembler.ts';
import { FramedMessages, TerminalMessages } from './follow-logs.ts';

const time = '2026-11-16T10:00:00.123456789Z';
const at = `${Date.parse('2026-11-16T10:00:00Z') / 1_000}.123456789`;
const frame = (stream: 1 | 2, text: string) => {
  const content = Buffer.from(`${time} ${text}`);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
};

/** Cuts bytes into pieces of the given sizes. */
function* cutUp(bytes: Buffer, sizes: readonly number[]) {
  let from = 0;
  for (let i = 0; from < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}

it('messages split at any byte give the same lines of both streams', () => {
  const bytes = Buffer.concat([
    frame(1, 'first\n'),
    frame(1, 'a long line that '),
    frame(2, 'trouble ü\n'),
    frame(1, 'the engine split\r\n'),
    frame(1, '\n'),
  ]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }), (sizes) => {
      const messages = new FramedMessages();
      const assembler = new LineAssembler();
      const lines = [...cutUp(bytes, sizes)].flatMap((chunk) => assembler.add(messages.add(chunk)));
      expect(lines).toEqual([
        { at, stream: 'stdout', text: 'first', cut: false },
        { at, stream: 'stderr', text: 'trouble ü', cut: false },
        { at, stream: 'stdout', text: 'a long line that the engine split', cut: false },
        { at, stream: 'stdout', text: '', cut: false },
      ]);
    }),
  );
});

it('a terminal has lines without frames', () => {
  const bytes = Buffer.from(`${time} one\r\n${time} two\r\nno time\n${time} three`);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }), (sizes) => {
      const messages = new TerminalMessages();
      const assembler = new LineAssembler();
      const lines = [...cutUp(bytes, sizes)].flatMap((chunk) => assembler.add(messages.add(chunk)));
      expect(lines.map(({ text }) => text)).toEqual(['one', 'two']);
    }),
  );
});

it('a line without an end uses bounded memory and is marked as cut', () => {
  const messages = new FramedMessages();
  const assembler = new LineAssembler();
  for (let i = 0; i < 1_000; i++) expect(assembler.add(messages.add(frame(1, 'x'.repeat(16_384))))).toEqual([]);
  const [line] = assembler.add(messages.add(frame(1, 'end\n')));
  expect(line?.cut).toBe(true);
  expect(line?.text.length).toBeLessThan(32 * 1024);
  expect(assembler.add(messages.add(frame(1, 'next\n')))).toMatchObject([{ text: 'next', cut: false }]);
});

it('a frame that claims gigabytes is not collected', () => {
  const messages = new FramedMessages();
  const header = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
  messages.add(Buffer.concat([header, Buffer.from(`${time} `)]));
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 200; i++) messages.add(Buffer.alloc(64 * 1024, 120));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
});
