/** A header block of a tar archive, read in the only way in which every program reads it. */
export interface TarHeader {
  /** Texts are latin1, because names may contain any bytes. */
  readonly path: string;
  readonly type: string;
  readonly target: string;
  readonly size: number;
}

/** Explains why a header, or a record, is damaged, or read differently by different programs. */
export class UnclearTar extends Error {}

/** Parses a header. Refuses forms that GNU tar, the engine or older programs read differently. */
export function readHeader(block: Buffer): TarHeader {
  if (!hasItsChecksum(block)) throw new UnclearTar('a header is damaged');
  const isPosix = block.toString('latin1', 257, 265) === 'ustar\x0000';
  const isGnu = block.toString('latin1', 257, 265) === 'ustar  \0';
  // GNU tar and older programs have other fields where POSIX has the beginning of long paths.
  const end = isPosix ? 500 : isGnu ? 345 : 257;
  if (block.subarray(end).some((byte) => byte !== 0)) throw new UnclearTar('a header is of an unknown format');
  const name = textAt(block, 0, 100);
  const prefix = isPosix ? textAt(block, 345, 155) : '';
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156] ?? 0),
    target: textAt(block, 157, 100),
    size: sizeOf(block),
  };
}

/** Verifies the checksum of a header: the sum of all bytes, with the checksum field counted as spaces. */
function hasItsChecksum(block: Buffer): boolean {
  let sum = 0;
  for (let index = 0; index < block.length; index++) sum += index >= 148 && index < 156 ? 32 : (block[index] as number);
  return sum === octalAt(block, 148, 8);
}

function sizeOf(block: Buffer): number {
  const size = block[124] === 0x80 ? binaryAt(block, 125, 11) : octalAt(block, 124, 12);
  if (size === undefined) throw new UnclearTar('a size is not a number');
  return size;
}

/** Parses octal digits between spaces and zero bytes; undefined if there is anything else. */
function octalAt(block: Buffer, offset: number, length: number): number | undefined {
  const [, digits] = /^ *([0-7]+)[ \0]*$/.exec(block.toString('latin1', offset, offset + length)) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

function binaryAt(block: Buffer, offset: number, length: number): number | undefined {
  let number = 0;
  for (const byte of block.subarray(offset, offset + length)) number = number * 256 + byte;
  return Number.isSafeInteger(number) ? number : undefined;
}

function textAt(block: Buffer, offset: number, length: number): string {
  const text = block.toString('latin1', offset, offset + length);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}
