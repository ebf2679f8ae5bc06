const TIME = '2026-11-16T10:00:00.123456789Z ';
/** The engine splits longer lines. */
const PART = 16_384;

/** Frames a part of a line as the engine does. */
export function logFrame(content: Buffer | string, time = TIME): Buffer {
  const body = Buffer.concat([Buffer.from(time), Buffer.isBuffer(content) ? content : Buffer.from(content)]);
  const header = Buffer.alloc(8);
  header[0] = 1;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

/** Splits a line into the parts that the engine makes of it. */
function* partsOf(line: Buffer): Generator<Buffer> {
  for (let at = 0; at < line.length; at += PART) yield logFrame(line.subarray(at, at + PART));
}

const lineOf = (text: string | Buffer): Buffer =>
  Buffer.concat([...partsOf(Buffer.concat([Buffer.isBuffer(text) ? text : Buffer.from(text), Buffer.from('\n')]))]);
const bytes = (length: number, byteAt: (index: number) => number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => byteAt(index)));

/** Lengths of secrets from 6 to 64 with the same beginning: whatever begins like one is compared with all of them. */
export const similarSecrets: readonly string[] = Array.from(
  { length: 59 },
  (_, index) => `${'a'.repeat(index + 5)}${String.fromCharCode(98 + (index % 20))}`,
);

/** Units of output that a container repeats to be expensive. */
export const hostileUnits: Readonly<Record<string, Buffer>> = {
  'carriage returns before a letter': lineOf(`${'\r'.repeat(20_000)}x`),
  'carriage returns': lineOf('\r'.repeat(20_000)),
  'blanks before a letter': lineOf(`${' '.repeat(20_000)}x`),
  'control sequences of a terminal': lineOf('\u001b[31;1m'.repeat(3_000)),
  'beginnings of control sequences': lineOf('\u001b['.repeat(8_000)),
  'empty lines': logFrame('\n'),
  'a line without an end': logFrame('x'.repeat(PART)),
  'a line in parts of one byte': logFrame('x'),
  'binary output': lineOf(bytes(20_000, (index) => ((index * 7_919) % 256 === 10 ? 11 : (index * 7_919) % 256))),
  'invalid UTF-8': lineOf(Buffer.alloc(20_000, 0xff)),
  'beginnings of characters': lineOf(Buffer.alloc(20_000, 0xf0)),
  'beginnings of levels in JSON': lineOf(`{${'"level"'.repeat(2_800)}`),
  'a level far away in JSON': lineOf(`{"level"${' '.repeat(19_000)}x`),
  'beginnings of levels in pairs': lineOf('level='.repeat(3_000)),
  brackets: lineOf(`${'[ '.repeat(9_000)}`),
  'beginnings of secrets': lineOf('a'.repeat(20_000)),
  'frames without a time': logFrame('x\n', ''),
  'empty frames': Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]),
};

/** Output of at least this size. */
export function hostileOutput(unit: Buffer, size: number): Buffer {
  return Buffer.concat(Array.from({ length: Math.ceil(size / unit.length) }, () => unit));
}
