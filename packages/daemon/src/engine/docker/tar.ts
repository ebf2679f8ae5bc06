import type { ContainerFile } from '../container-spec.ts';

const block = 512;

/**
 * A tar archive (ustar, with pax records where a path does not fit) of files that belong to root. Folders are not written:
 * the engine makes those that are missing and leaves the others as they are.
 */
export function tarOf(files: readonly ContainerFile[]): Buffer {
  const parts: Buffer[] = [];
  for (const file of files) {
    const path = archivePath(file.path);
    const content = Buffer.from(file.content, 'utf8');
    if (Buffer.byteLength(path) > 100) {
      const records = paxRecord('path', path);
      parts.push(header({ name: 'pax', mode: 0o644, size: records.length, type: 'x' }), padded(records));
    }
    parts.push(header({ name: path, mode: permissions(file.mode), size: content.length, type: '0' }), padded(content));
  }
  // Two empty blocks are the end.
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function archivePath(path: string): string {
  const segments = path.split('/').slice(1);
  const plain =
    segments.length > 0 && segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!path.startsWith('/') || !plain || path.includes('\0')) {
    throw new Error(`${JSON.stringify(path)} is not the absolute path of a file`);
  }
  return segments.join('/');
}

function permissions(mode: string): number {
  if (!/^0?[0-7]{3,4}$/.test(mode)) throw new Error(`${JSON.stringify(mode)} is not a file mode such as 0640`);
  return Number.parseInt(mode, 8);
}

function header(entry: { name: string; mode: number; size: number; type: '0' | 'x' }): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, offset: number, length: number) =>
    bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  // A name too long is only a hint here; the pax record before it holds the whole.
  Buffer.from(entry.name, 'utf8').subarray(0, 100).copy(bytes);
  octal(entry.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(entry.size, 124, 12);
  // Time zero: the same files make the same archive.
  octal(0, 136, 12);
  bytes.write(' '.repeat(8), 148, 'latin1');
  bytes.write(entry.type, 156, 'latin1');
  bytes.write('ustar\x0000', 257, 'latin1');
  let sum = 0;
  for (const byte of bytes) sum += byte;
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((block - (content.length % block)) % block)]);
}

/** `length key=value\n`, where the length counts its own digits too. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
