export interface Forged {
  path: string;
  type?: string;
  content?: string;
  target?: string;
  /** In the field of the header, instead of the length of the content. */
  size?: string | Buffer;
  /** Magic and version. */
  format?: string;
  prefix?: string;
}

const BLOCK = 512;

/** Builds an entry that no honest program would write. */
export function forgedEntry(forged: Forged): Buffer {
  const { path, type = '0', content = '', target = '', format = 'ustar\x0000', prefix = '' } = forged;
  const block = Buffer.alloc(BLOCK);
  block.write(path.slice(0, 100), 0, 'latin1');
  block.write('0000644\0', 100, 'latin1');
  block.write('0000000\0'.repeat(2), 108, 'latin1');
  const size = forged.size ?? `${content.length.toString(8).padStart(11, '0')}\0`;
  block.set(Buffer.from(size as string, 'latin1').subarray(0, 12), 124);
  block.write(`${'0'.repeat(11)}\0`, 136, 'latin1');
  block.write(type, 156, 'latin1');
  block.write(target.slice(0, 100), 157, 'latin1');
  block.write(format, 257, 'latin1');
  // Major and minor number of /dev/zero.
  if (format === 'ustar\x0000') block.write('0000001\x000000005\0', 329, 'latin1');
  block.write(prefix, 345, 'latin1');
  repairChecksum(block);
  const padded = Buffer.alloc(Math.ceil(content.length / BLOCK) * BLOCK);
  padded.write(content, 'latin1');
  return Buffer.concat([block, padded]);
}

/** Makes a changed header valid again. */
export function repairChecksum(block: Buffer): void {
  block.write(' '.repeat(8), 148, 'latin1');
  let sum = 0;
  for (const byte of block.subarray(0, BLOCK)) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}

export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length++;
  return `${length}${rest}`;
}

export const paxEntry = (records: string, type = 'x'): Buffer => forgedEntry({ path: 'pax', type, content: records });

/** Ends an archive. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK);
