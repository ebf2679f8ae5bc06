import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Paths are relative, without a slash at the end. */
export type Entry =
  | { readonly path: string; readonly kind: 'folder'; readonly mode?: number; readonly owner?: number }
  | { readonly path: string; readonly kind: 'link'; readonly to: string }
  | {
      readonly path: string;
      readonly kind: 'file';
      readonly mode?: number;
      /** The bytes, or the file that has them. */
      readonly from: Buffer | { readonly file: string; readonly size: number };
    };

const BLOCK = 512;
const types = { file: '0', link: '2', folder: '5' } as const;
const modes = { file: 0o644, link: 0o777, folder: 0o755 } as const;

/**
 * Writes a tar archive that depends on nothing but the entries: they are sorted, all have the same time, and belong to root unless they
 * say otherwise.
 */
export async function* tar(entries: readonly Entry[], time: number): AsyncGenerator<Buffer> {
  for (const entry of [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const size = sizeOf(entry);
    yield header(entry, size, time);
    if (entry.kind !== 'file') continue;
    if (Buffer.isBuffer(entry.from)) yield entry.from;
    else yield* contentOf(entry.from.file, size);
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** Lists a folder of the machine as entries below `at`. Of the modes, only "executable" is kept. */
export async function entriesOf(folder: string, at: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(at, name);
    const stats = await lstat(join(folder, name));
    if (stats.isDirectory()) entries.push({ path, kind: 'folder' });
    else if (stats.isFile())
      entries.push({
        path,
        kind: 'file',
        mode: stats.mode & 0o100 ? 0o755 : 0o644,
        from: { file: join(folder, name), size: stats.size },
      });
    else throw new Error(`${join(folder, name)} is neither a file nor a folder.`);
  }
  return entries;
}

async function* contentOf(file: string, size: number): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const piece of createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>) {
    read += piece.length;
    yield piece;
  }
  if (read !== size) throw new Error(`${file} changed while it was read.`);
}

const sizeOf = (entry: Entry): number => {
  if (entry.kind !== 'file') return 0;
  return Buffer.isBuffer(entry.from) ? entry.from.length : entry.from.size;
};

function header(entry: Entry, size: number, time: number): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  const { name, prefix } = split(entry.kind === 'folder' ? `${entry.path}/` : entry.path);
  bytes.write(name, 0);
  octal((entry.kind === 'link' ? undefined : entry.mode) ?? modes[entry.kind], 100, 8);
  const owner = (entry.kind === 'folder' ? entry.owner : undefined) ?? 0;
  octal(owner, 108, 8);
  octal(owner, 116, 8);
  octal(size, 124, 12);
  octal(time, 136, 12);
  bytes.write(' '.repeat(8), 148, 'latin1');
  bytes.write(types[entry.kind], 156, 'latin1');
  if (entry.kind === 'link') bytes.write(entry.to, 157);
  bytes.write('ustar\x0000', 257, 'latin1');
  bytes.write(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

/** The header has room for a name of 100 bytes and for 155 bytes of folders before it. */
function split(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== '' && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { name, prefix };
  }
  throw new Error(`${path} is too long for an archive.`);
}
