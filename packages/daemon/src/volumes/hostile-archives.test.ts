import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { describe, expect, test } from 'vitest';
import { CheckedTar } from './checked-tar.ts';
import { SafeEntries } from './safe-entries.ts';
import { HostileArchive } from './tar-check.ts';
import { unpackInto } from './tar-program.ts';
import { forgedEntry as entry, paxEntry, paxRecord, TAR_END } from './testing/forged-tar.ts';
import { contentName } from './window.ts';

const pax = (key: string, value: string, type = 'x') => paxEntry(paxRecord(key, value), type);
const top = entry({ path: `${contentName}/`, type: '5' });
const inside = (path: string) => `${contentName}/${path}`;
const archive = (...entries: Buffer[]) => Buffer.concat([top, ...entries, TAR_END]);

/** Checks and unpacks an archive as `writeVolume` does without the engine: as root, into the folder of the volume. */
async function unpacked(bytes: Buffer) {
  const place = temporaryFolder('hostile');
  const folder = join(place.path, 'volume');
  mkdirSync(folder);
  mkdirSync(join(place.path, 'victim'));
  writeFileSync(join(place.path, 'victim/secret'), 'untouched');
  const entries = new SafeEntries(contentName);
  // Small pieces, so that a late check would let part of an entry through.
  const source = Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 512) }, (_, index) => bytes.subarray(index * 512, (index + 1) * 512)),
  );
  const content = new CheckedTar('a test', source, { judge: (entry) => entries.refusal(entry) });
  const error = await unpackInto({ folder, what: 'a test', name: contentName }, content).then(
    () => undefined,
    (cause: Error) => cause,
  );
  return {
    error,
    folder,
    victim: readFileSync(join(place.path, 'victim/secret'), 'utf8'),
    outside: readdirSync(place.path).sort(),
    [Symbol.asyncDispose]: () => place.remove(),
  };
}

const evil = 'overwritten';
const hostile: Record<string, Buffer> = {
  'an absolute path': archive(entry({ path: '/tmp/hortus-hostile', content: evil })),
  'a path with ..': archive(entry({ path: inside('../victim/secret'), content: evil })),
  'a path that becomes .. when its first name is replaced': archive(
    entry({ path: `${contentName}./victim/secret`, content: evil }),
  ),
  'a path beside the folder of the archive': archive(entry({ path: 'victim/secret', content: evil })),
  'a file through a symbolic link': archive(
    entry({ path: inside('a'), type: '2', target: '../victim' }),
    entry({ path: inside('a/secret'), content: evil }),
  ),
  'a file through a link to a link': archive(
    entry({ path: inside('a'), type: '2', target: '/' }),
    entry({ path: inside('b'), type: '1', target: inside('a') }),
    entry({ path: inside('b/tmp/hortus-hostile'), content: evil }),
  ),
  'a folder through a symbolic link': archive(
    entry({ path: inside('a'), type: '2', target: '../victim' }),
    entry({ path: inside('a/made'), type: '5' }),
  ),
  'a hard link to a file outside': archive(entry({ path: inside('a'), type: '1', target: '../victim/secret' })),
  'a hard link to an absolute path': archive(entry({ path: inside('a'), type: '1', target: '/etc/passwd' })),
  'a hard link through a symbolic link': archive(
    entry({ path: inside('a'), type: '2', target: '../victim' }),
    entry({ path: inside('b'), type: '1', target: inside('a/secret') }),
  ),
  'a character device': archive(entry({ path: inside('zero'), type: '3' })),
  'a block device': archive(entry({ path: inside('disk'), type: '4' })),
  'an unknown type': archive(entry({ path: inside('a'), type: 'V' })),
  'a path in a pax record': archive(pax('path', '../victim/secret'), entry({ path: inside('a'), content: evil })),
  'a link target in a pax record': archive(
    pax('linkpath', '../victim/secret'),
    entry({ path: inside('a'), type: '1', target: inside('b') }),
  ),
  'a path for all entries in a global record': archive(
    pax('path', '../victim/secret', 'g'),
    entry({ path: inside('a'), content: evil }),
  ),
  'the name of a sparse file in a record': archive(
    pax('GNU.sparse.name', '../victim/sec'),
    entry({ path: inside('a'), content: evil }),
  ),
  'a long name of GNU tar': archive(
    entry({ path: '././@LongLink', type: 'L', content: '../victim/secret\0' }),
    entry({ path: inside('a'), content: evil }),
  ),
};

const zeros = Buffer.alloc(512);
const file = entry({ path: inside('a'), content: evil });
const smuggled = entry({ path: '../victim/secret', content: evil });
const smuggledSize = `${smuggled.length.toString(8).padStart(11, '0')}\0`;

/** Archives in which programs see different entries, and what names the difference. */
const unclear: Record<string, [Buffer, string]> = {
  'a symbolic link with a size that hides entries': [
    archive(entry({ path: inside('a'), type: '2', target: 'b', size: smuggledSize }), smuggled),
    'has a size but is not a file',
  ],
  'a hard link with a size that hides entries': [
    archive(file, entry({ path: inside('b'), type: '1', target: inside('a'), size: smuggledSize }), smuggled),
    'has a size but is not a file',
  ],
  'a folder with a size that hides entries': [
    archive(entry({ path: inside('a'), type: '5', size: smuggledSize }), smuggled),
    'has a size but is not a file',
  ],
  'a link with a size in a record': [
    archive(pax('size', String(smuggled.length)), entry({ path: inside('a'), type: '2', target: 'b' }), smuggled),
    'has two sizes',
  ],
  'a file with two sizes': [
    archive(pax('size', '0'), entry({ path: inside('a'), content: smuggled.toString('latin1') })),
    'has two sizes',
  ],
  'a size for all entries': [archive(pax('size', '512', 'g'), file), 'a record size, which is not supported'],
  'an empty block before the first entry': [Buffer.concat([zeros, archive(file)]), 'continues after an empty block'],
  'an empty block between entries': [archive(zeros, file), 'continues after an empty block'],
  'a record that comes twice': [
    archive(paxEntry(paxRecord('path', inside('a')) + paxRecord('path', '../victim/secret')), file),
    'the record path twice',
  ],
  'two extended headers for an entry': [
    archive(pax('path', inside('a')), pax('path', '../victim/secret'), file),
    'several extended headers',
  ],
  'a long name beside a path in a record': [
    archive(pax('path', inside('a')), entry({ path: 'L', type: 'L', content: '../victim/secret\0' }), file),
    'several extended headers',
  ],
  'a path with a zero byte': [archive(pax('path', `${inside('a')}\0x`), file), 'its record path is not a text'],
  'a path that is taken back': [archive(pax('path', ''), file), 'its record path is not a text'],
  'a long name that begins with a zero byte': [
    archive(entry({ path: 'L', type: 'L', content: '\x00../victim/secret\0' }), file),
    'a long name is not a text',
  ],
  'a record of another length than it says': [
    archive(paxEntry(`${paxRecord('comment', 'x')}8 path=a\n`), file),
    'an extended header is damaged',
  ],
  'a record that nothing knows': [archive(pax('SUN.holesdata', ' 0 1'), file), 'a record SUN.holesdata'],
  'a negative size': [archive(entry({ path: inside('a'), size: Buffer.alloc(12, 0xff) })), 'a size is not a number'],
  'a size with a marked first byte': [
    archive(entry({ path: inside('a'), size: Buffer.from([0xc0, ...Array(11).fill(0)]) })),
    'a size is not a number',
  ],
  'a size that ends in letters': [
    archive(entry({ path: inside('a'), size: '0000000000x\0' })),
    'a size is not a number',
  ],
  'no size': [archive(entry({ path: inside('a'), size: Buffer.alloc(12) })), 'a size is not a number'],
  'a file with the name of a folder': [
    archive(entry({ path: inside('a/'), content: evil })),
    'with the name of a folder',
  ],
  'a path that only POSIX continues': [
    archive(entry({ path: inside('a'), format: 'ustar\x0001', prefix: contentName })),
    'of an unknown format',
  ],
  'an old sparse file': [archive(entry({ path: inside('a'), type: 'S', format: 'ustar  \0' })), 'unknown type'],
  'a link without a target': [archive(entry({ path: inside('a'), type: '2' })), 'is a link to nothing'],
  'an extended header without an entry': [archive(file, pax('path', inside('b'))), 'has no entry'],
};

describe('an archive is unpacked only if every program reads the same entries in it', () => {
  test.each(Object.entries(unclear))('%s is refused', async (_, [bytes, why]) => {
    await using result = await unpacked(bytes);
    expect(result.error).toBeInstanceOf(HostileArchive);
    expect(result.error?.message).toContain(why);
    expect(result.victim).toBe('untouched');
    expect(result.outside).toEqual(['victim', 'volume']);
  });
});

test('tar itself cannot create a device, even if an archive with one were not refused', async () => {
  const place = temporaryFolder('devices');
  const bytes = archive(entry({ path: inside('zero'), type: '3' }), entry({ path: inside('disk'), type: '4' }));
  const unpacking = unpackInto({ folder: place.path, what: 'a test', name: contentName }, Readable.from([bytes]));
  await expect(unpacking).rejects.toThrow('Operation not permitted');
  expect(readdirSync(place.path)).toEqual([]);
  await place.remove();
});

describe('unpacking never follows a link, leaves the volume or creates a device', () => {
  test.each(Object.entries(hostile))('%s is refused', async (_, bytes) => {
    await using result = await unpacked(bytes);
    expect(result.error).toBeInstanceOf(HostileArchive);
    expect(result.victim).toBe('untouched');
    expect(result.outside).toEqual(['victim', 'volume']);
    expect(existsSync('/tmp/hortus-hostile')).toBe(false);
    expect(readdirSync(result.folder).filter((name) => ['zero', 'disk'].includes(name))).toEqual([]);
  });
});

test('legitimate entries are unpacked: links to the outside as links, hard links inside, pipes, replaced links', async () => {
  await using result = await unpacked(
    archive(
      entry({ path: inside('file'), content: 'x' }),
      entry({ path: inside('hard'), type: '1', target: inside('file') }),
      entry({ path: inside('absolute'), type: '2', target: '/etc/passwd' }),
      entry({ path: inside('upwards'), type: '2', target: '../victim/secret' }),
      entry({ path: inside('pipe'), type: '6' }),
      entry({ path: inside('again'), type: '2', target: 'file' }),
      entry({ path: inside('again'), type: '5' }),
      entry({ path: inside('again/below'), content: 'y' }),
    ),
  );
  expect(result.error).toBeUndefined();
  const at = (name: string) => lstatSync(join(result.folder, name));
  expect(at('absolute').isSymbolicLink() && at('upwards').isSymbolicLink() && at('pipe').isFIFO()).toBe(true);
  expect(at('hard').ino).toBe(at('file').ino);
  expect(readFileSync(join(result.folder, 'again/below'), 'utf8')).toBe('y');
  expect(result.victim).toBe('untouched');
});
