export type Entry =
  | { path: string; kind: 'file'; mode: number; content: Buffer; owner?: number }
  | { path: string; kind: 'folder'; mode: number; owner?: number }
  | { path: string; kind: 'link'; to: string };

const block = 512;
const types = { file: '0', folder: '5', link: '2' } as const;

/** Builds a ustar archive of short paths, owned by root by default; enough for test images. */
export function tar(entries: readonly Entry[]): Buffer {
  return Buffer.concat([tarMembers(entries), Buffer.alloc(2 * block)]);
}

/** Builds the archive without its end marker, so that another archive can follow. */
export function tarMembers(entries: readonly Entry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = entry.kind === 'file' ? entry.content : Buffer.alloc(0);
    return [header(entry, content.length), content, Buffer.alloc((block - (content.length % block)) % block)];
  });
  return Buffer.concat(parts);
}

function header(entry: Entry, size: number): Buffer {
  if (entry.path.length > 99) throw new Error(`${entry.path} is too long`);
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, length: number) =>
    bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  bytes.write(entry.path, 0, 'latin1');
  octal(entry.kind === 'link' ? 0o777 : entry.mode, 100, 8);
  const owner = entry.kind === 'link' ? 0 : (entry.owner ?? 0);
  octal(owner, 108, 8);
  octal(owner, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  bytes.write(' '.repeat(8), 148, 'latin1');
  bytes.write(types[entry.kind], 156, 'latin1');
  if (entry.kind === 'link') bytes.write(entry.to, 157, 'latin1');
  bytes.write('ustar\x0000', 257, 'latin1');
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}
