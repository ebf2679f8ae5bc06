import { UnclearTar } from './tar-header.ts';

/** Values for the next entry, from the extended header before it. */
export interface TarRecords {
  path?: string;
  target?: string;
  size?: number;
}

/** Types of extended headers: pax records for the next entry or for all, long names and long targets of GNU tar. */
export const recordTypes: ReadonlySet<string> = new Set(['x', 'g', 'L', 'K']);

/** Records that say nothing about the path, the size or the content of an entry. */
const HARMLESS =
  /^(?:atime|ctime|mtime|uid|gid|uname|gname|comment|LIBARCHIVE\.creationtime|SCHILY\.(?:dev|ino|nlink|xattr\..+))$/s;

/** Reads the content of an extended header. Throws for what programs read differently. */
export function readRecords(type: string, content: Buffer): TarRecords {
  if (type === 'L') return { path: longName(content) };
  if (type === 'K') return { target: longName(content) };
  const records: TarRecords = {};
  const seen = new Set<string>();
  for (const [key, value] of paxRecords(content)) {
    if (seen.has(key)) throw new UnclearTar(`it has the record ${shown(key)} twice for one entry`);
    seen.add(key);
    if (HARMLESS.test(key)) continue;
    const isKnown = key === 'path' || key === 'linkpath' || key === 'size';
    if (type === 'g' || !isKnown) throw new UnclearTar(`it has a record ${shown(key)}, which is not supported`);
    if (value === '' || value.includes('\0')) throw new UnclearTar(`its record ${key} is not a text`);
    if (key === 'path') records.path = value;
    else if (key === 'linkpath') records.target = value;
    else records.size = sizeIn(value);
  }
  return records;
}

const shown = (key: string): string => JSON.stringify(key.slice(0, 100)).slice(1, -1);

/** GNU tar ends the name with a zero byte; what follows one would be invisible. */
function longName(content: Buffer): string {
  const text = content.toString('latin1');
  const name = text.endsWith('\0') ? text.slice(0, -1) : text;
  if (name === '' || name.includes('\0')) throw new UnclearTar('a long name is not a text');
  return name;
}

function sizeIn(value: string): number {
  const size = /^(?:0|[1-9]\d{0,15})$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw new UnclearTar('a size is not a number');
  return size;
}

/** Parses records of the form `length key=value\n`, which fill the whole content. */
function* paxRecords(content: Buffer): Generator<[key: string, value: string]> {
  const damaged = new UnclearTar('an extended header is damaged');
  for (let at = 0; at < content.length; ) {
    const [digits = ''] = /^[1-9]\d{0,6} /.exec(content.toString('latin1', at, at + 8)) ?? [];
    const end = at + Number(digits);
    const text = content.toString('latin1', at + digits.length, end - 1);
    const equals = text.indexOf('=');
    if (digits === '' || end > content.length || content[end - 1] !== 10 || equals <= 0) throw damaged;
    yield [text.slice(0, equals), text.slice(equals + 1)];
    at = end;
  }
}
