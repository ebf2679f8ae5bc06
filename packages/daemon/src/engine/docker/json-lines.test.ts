import { expect, test } from 'vitest';
import { jsonLines } from './json-lines.ts';

async function linesOf(pieces: readonly string[]) {
  const lines: unknown[] = [];
  async function* source() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  for await (const line of jsonLines(source())) lines.push(line);
  return lines;
}

test('lines may be split anywhere, and a line that is too long is left out', async () => {
  const long = Array.from({ length: 300 }, () => 'x'.repeat(4_096));
  const pieces = ['{"a"', ':1}\n\n{"b":2}\n{"label":"', ...long, '"}\n{"c":', '3}\n{"d":4}'];
  expect(await linesOf(pieces)).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }]);
});
