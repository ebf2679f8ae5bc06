import type { ExecOutput } from '../engine.ts';

const header = 8;

/**
 * Splits the engine's multiplexed stream. Frames consist of one byte for the stream, three unused bytes, four for the
 * length, and the content. Frames may arrive in any number of pieces; content is passed on at once.
 */
export async function* demultiplex(source: AsyncIterable<Buffer>): AsyncGenerator<ExecOutput> {
  let head: Buffer = Buffer.alloc(0);
  let stream: ExecOutput['stream'] = 'stdout';
  let missing = 0;
  for await (const piece of source) {
    let rest = piece;
    while (rest.length > 0) {
      if (missing > 0) {
        const chunk = rest.subarray(0, missing);
        missing -= chunk.length;
        rest = rest.subarray(chunk.length);
        yield { stream, chunk };
        continue;
      }
      const taken = rest.subarray(0, header - head.length);
      head = head.length === 0 ? taken : Buffer.concat([head, taken]);
      rest = rest.subarray(taken.length);
      if (head.length < header) break;
      stream = head[0] === 2 ? 'stderr' : 'stdout';
      missing = head.readUInt32BE(4);
      head = Buffer.alloc(0);
    }
  }
}
