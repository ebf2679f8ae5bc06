import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TAR_END, tarHeader, tarPadding } from '@hortus/contract/runtime/tar-header';

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

const modes = { file: 0o644, link: 0o777, folder: 0o755 } as const;

/**
 * Writes a tar archive that depends on nothing but the entries: they are sorted, all have the same time, and belong to root unless they
 * say otherwise.
 */
export async function* tar(entries: readonly Entry[], time: number): AsyncGenerator<Buffer> {
  for (const entry of [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const size = sizeOf(entry);
    const path = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
    yield tarHeader({ mode: modes[entry.kind], ...entry, path, size, time });
    if (entry.kind !== 'file') continue;
    if (Buffer.isBuffer(entry.from)) yield entry.from;
    else yield* contentOf(entry.from.file, size);
    yield tarPadding(size);
  }
  yield TAR_END;
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
