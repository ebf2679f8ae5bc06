import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { describe, expect, test } from 'vitest';
import { SafeEntries } from './safe-entries.ts';
import { unpackInto } from './tar-program.ts';
import { HostileArchive, WholeTar } from './whole-tar.ts';
import { contentName } from './window.ts';

interface Forged {
  path: string;
  type?: string;
  content?: string;
  target?: string;
}

/** Builds a header that no honest program would write. */
function entry({ path, type = '0', content = '', target = '' }: Forged): Buffer {
  const block = Buffer.alloc(512);
  block.write(path.slice(0, 100), 0, 'latin1');
  block.write('0000644\0', 100, 'latin1');
  block.write('0000000\0'.repeat(2), 108, 'latin1');
  block.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  block.write(`${'0'.repeat(11)}\0`, 136, 'latin1');
  block.write(' '.repeat(8), 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write(target.slice(0, 100), 157, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  // Major and minor number of /dev/zero.
  block.write('0000001\x000000005\0', 329, 'latin1');
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const padded = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  padded.write(content, 'latin1');
  return Buffer.concat([block, padded]);
}

const record = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`;
  const length = rest.length + 2;
  return `${length}${rest}`;
};
const pax = (key: string, value: string, type = 'x') => entry({ path: 'pax', type, content: record(key, value) });
const top = entry({ path: `${contentName}/`, type: '5' });
const inside = (path: string) => `${contentName}/${path}`;
const archive = (...entries: Buffer[]) => Buffer.concat([top, ...entries, Buffer.alloc(1024)]);

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
  const content = new WholeTar('a test', source, { judge: (one) => entries.refusal(one) });
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
