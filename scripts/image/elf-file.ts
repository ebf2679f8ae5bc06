import { open } from 'node:fs/promises';

export interface ElfFile {
  /** Processor that the file is for, as in the header: see `elfMachines`. */
  readonly machine: number;
  /** Path of the program that loads it; undefined for most libraries. */
  readonly interpreter: string | undefined;
  /** Names of the libraries that it is linked with. */
  readonly needed: readonly string[];
}

export const elfMachines = { amd64: 62, arm64: 183 } as const;

const segmentType = { load: 1, dynamic: 2, interpreter: 3 } as const;
const tag = { end: 0n, needed: 1n, strings: 5n } as const;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: bigint;
  readonly size: number;
}

type ReadBytes = (offset: number, length: number) => Promise<Buffer>;

/** Reads what a 64-bit little-endian program or library is linked with. Works for other processors too, unlike ldd. */
export async function readElf(path: string): Promise<ElfFile> {
  await using file = await open(path);
  const bytes: ReadBytes = async (offset, length) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  const header = await bytes(0, 64);
  if (header.length < 64 || header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1)
    throw new Error(`${path} is not a 64-bit little-endian ELF file.`);
  const segments = await readSegments(header, bytes);
  const named = segments.find(({ type }) => type === segmentType.interpreter);
  return {
    machine: header.readUInt16LE(18),
    interpreter: named && textAt(await bytes(named.offset, named.size), 0),
    needed: await readNeeded(segments, bytes),
  };
}

async function readSegments(header: Buffer, bytes: ReadBytes): Promise<Segment[]> {
  const [size, count] = [header.readUInt16LE(54), header.readUInt16LE(56)];
  const table = await bytes(Number(header.readBigUInt64LE(32)), size * count);
  return Array.from({ length: count }, (_, index) => {
    const at = index * size;
    return {
      type: table.readUInt32LE(at),
      offset: Number(table.readBigUInt64LE(at + 8)),
      address: table.readBigUInt64LE(at + 16),
      size: Number(table.readBigUInt64LE(at + 32)),
    };
  });
}

async function readNeeded(segments: readonly Segment[], bytes: ReadBytes): Promise<string[]> {
  const dynamic = segments.find(({ type }) => type === segmentType.dynamic);
  if (dynamic === undefined) return [];
  const table = await bytes(dynamic.offset, dynamic.size);
  const names: number[] = [];
  let strings = 0n;
  for (let at = 0; at + 16 <= table.length; at += 16) {
    const [kind, value] = [table.readBigUInt64LE(at), table.readBigUInt64LE(at + 8)];
    if (kind === tag.end) break;
    if (kind === tag.needed) names.push(Number(value));
    if (kind === tag.strings) strings = value;
  }
  const offset = fileOffset(segments, strings);
  // A name is short, but the table of names is not.
  return await Promise.all(names.map(async (name) => textAt(await bytes(offset + name, 256), 0)));
}

/** The table of names is given by its address in memory. */
function fileOffset(segments: readonly Segment[], address: bigint): number {
  const segment = segments.find(
    (segment) =>
      segment.type === segmentType.load &&
      address >= segment.address &&
      address < segment.address + BigInt(segment.size),
  );
  if (segment === undefined) throw new Error('The names of libraries are outside of the file.');
  return segment.offset + Number(address - segment.address);
}

const textAt = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, bytes.indexOf(0, at));
