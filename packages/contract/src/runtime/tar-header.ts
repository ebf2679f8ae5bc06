export interface TarMember {
  /** Relative; that of a folder may end with a slash. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly mode: number;
  /** Bytes of the content of a file. */
  readonly size?: number;
  /** User and group; root by default. */
  readonly owner?: number;
  /** Seconds since 1970; 0 by default, so that equal members give equal bytes. */
  readonly time?: number;
  /** Target of a link. */
  readonly to?: string;
}

type Header = Omit<TarMember, 'path' | 'kind'> & {
  name: string;
  prefix?: string;
  type: '0' | '2' | '5' | 'x';
};

const BLOCK = 512;
const types = { file: '0', link: '2', folder: '5' } as const;

/** Two empty blocks mark the end of an archive. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK);

/** Builds the header of a member (ustar; pax for a path that it has no room for). Its content follows, then `tarPadding`. */
export function tarHeader({ path, kind, ...member }: TarMember): Buffer {
  const place = split(path);
  if (place) return header({ ...member, ...place, type: types[kind] });
  const record = paxRecord('path', path);
  return Buffer.concat([
    header({ name: 'pax', mode: 0o644, size: record.length, type: 'x' }),
    record,
    tarPadding(record.length),
    header({ ...member, name: path, type: types[kind] }),
  ]);
}

export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

function header({ name, prefix = '', type, mode, size = 0, owner = 0, time = 0, to = '' }: Header): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  bytes.write(name, 0, 100);
  octal(mode, 100, 8);
  octal(owner, 108, 8);
  octal(owner, 116, 8);
  octal(size, 124, 12);
  octal(time, 136, 12);
  bytes.write(' '.repeat(8), 148, 'latin1');
  bytes.write(type, 156, 'latin1');
  bytes.write(to, 157);
  bytes.write('ustar\x0000', 257, 'latin1');
  bytes.write(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

/** The header has room for a name of 100 bytes and for 155 bytes of folders before it. */
function split(path: string): { name: string; prefix?: string } | undefined {
  if (Buffer.byteLength(path) <= 100) return { name: path };
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== '' && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { name, prefix };
  }
  return undefined;
}

/** Builds `length key=value\n`; the length includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
