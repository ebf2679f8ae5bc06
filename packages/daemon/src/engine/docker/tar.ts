import type { ContainerFile } from '../container-spec.ts';

const block = 512;

/**
 * Builds a tar archive (ustar, pax records for long paths) of files owned by root. Contains no folders: the engine
 * creates missing ones and keeps existing ones.
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
  // Two empty blocks mark the end.
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function archivePath(path: string): string {
  const segments = path.split('/').slice(1);
  const plain =
    segments.length > 0 && segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!path.startsWith('/') || !plain || path.includes('\0')) {
    throw new Error(`${JSON.stringify(path)} is not a valid absolute file path`);
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
  // A long name is truncated here; the pax record before it has the full path.
  Buffer.from(entry.name, 'utf8').subarray(0, 100).copy(bytes);
  octal(entry.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(entry.size, 124, 12);
  // Time zero, so that equal files give equal archives.
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

/** Builds `length key=value\n`; the length includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
