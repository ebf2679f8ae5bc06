import fc from 'fast-check';
import { expect, test } from 'vitest';
import { demultiplex } from './demultiplex.ts';

const frame = fc.record({
  stream: fc.constantFrom('stdout' as const, 'stderr' as const),
  text: fc.string({ maxLength: 40 }),
});

test('frames come out complete, in order and per stream, however the input is split', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 })), async (frames, sizes) => {
      const bytes = Buffer.concat(
        frames.flatMap(({ stream, text }) => {
          const head = Buffer.alloc(8);
          head[0] = stream === 'stderr' ? 2 : 1;
          head.writeUInt32BE(Buffer.byteLength(text), 4);
          return [head, Buffer.from(text)];
        }),
      );
      async function* pieces() {
        let at = 0;
        for (const size of sizes) {
          yield bytes.subarray(at, at + size);
          at += size;
        }
        yield bytes.subarray(at);
      }
      const seen = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
      for await (const { stream, chunk } of demultiplex(pieces())) seen[stream].push(chunk);
      for (const stream of ['stdout', 'stderr'] as const) {
        const sent = frames.filter((frame) => frame.stream === stream).map(({ text }) => text);
        expect(Buffer.concat(seen[stream]).toString()).toBe(sent.join(''));
      }
    }),
  );
});
