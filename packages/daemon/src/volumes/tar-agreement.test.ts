import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrokenArchive, HostileArchive, TarCheck, type TarEntry } from './tar-check.ts';
import { type Forged, forgedEntry, paxEntry, paxRecord, repairChecksum, TAR_END } from './testing/forged-tar.ts';

/** Runs of `npm run fuzz` are longer. */
const SECONDS = Number(process.env.HORTUS_FUZZ_SECONDS ?? '0');
const SEED = Number(process.env.HORTUS_FUZZ_SEED ?? '31');

interface Seen {
  /** Type, size and name of each entry. */
  entries: string[];
  content: string;
  hasRecords: boolean;
}

/** What the check saw, block by block; undefined if it refused the archive. */
function checked(archive: Buffer): Seen | undefined {
  const entries: string[] = [];
  const parts: Buffer[] = [];
  let at = 0;
  const check = new TarCheck('a test', ({ path, type, target, size }: TarEntry) => {
    // Types that `SafeEntries` refuses have no common listing.
    if (!'\x000125 6'.includes(type)) return 'is of another type';
    entries.push(lineOf({ path, type, target, size }));
    if (size > 0) parts.push(archive.subarray(at + 512, at + 512 + size));
    return undefined;
  });
  try {
    for (; at < archive.length; at += 512) check.read(archive.subarray(at, at + 512));
    check.end();
  } catch (error) {
    if (error instanceof BrokenArchive || error instanceof HostileArchive) return undefined;
    throw error;
  }
  const hasRecords = archive.includes('pax\0', 0, 'latin1');
  return { entries, content: Buffer.concat(parts).toString('latin1'), hasRecords };
}

const letters: Readonly<Record<string, string>> = { '0': '-', '\0': '-', '1': 'h', '2': 'l', '5': 'd', '6': 'p' };

const lineOf = ({ path, type, target, size }: TarEntry): string => {
  const link = type === '2' ? ` -> ${target}` : type === '1' ? ` link to ${target}` : '';
  const name = type === '5' ? path.replace(/\/*$/, '/') : path;
  return `${letters[type]} ${size} ${name}${link}`;
};

/** What GNU tar sees; undefined if it reports anything wrong. */
function readByTar(archive: Buffer, program: readonly string[]): Omit<Seen, 'hasRecords'> | undefined {
  const [command = '', ...before] = program;
  const run = (args: string[]) =>
    execFileSync(command, [...before, ...args], {
      input: archive,
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['pipe', 'pipe', 'ignore'],
      encoding: 'latin1',
    });
  try {
    const listed = run(
      program.length === 1 ? ['-tvf', '-', '--numeric-owner', '--quoting-style=literal'] : ['-tvf', '-'],
    );
    const entries = listed.split('\n').flatMap((line) => {
      const [, type, size, name] = /^(.)\S+\s+\S+\s+(\d+) \S+ \S+ (.*)$/.exec(line) ?? [];
      return type === undefined ? [] : [`${type} ${size} ${name}`];
    });
    return { entries, content: run(['-xOf', '-']) };
  } catch {
    return undefined;
  }
}

const name = fc.constantFrom('v/', 'v/a', 'v/b', 'v/c/d', 'v/long-name', 'w', '../x', 'v/a b');
const content = fc.oneof(
  fc.constant(''),
  fc.constant('x'),
  fc.constant('y'.repeat(512)),
  fc.constant('z'.repeat(700)),
  fc.constant(forgedEntry({ path: 'v/smuggled', content: 'evil' }).toString('latin1')),
);
const size = fc.constantFrom<Forged['size'][]>(
  undefined,
  '00000000001\0',
  '00000001000\0',
  '          0 ',
  '1          \0',
  '\0'.repeat(12),
  '0000000000a\0',
  '000000000017',
  Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
  Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]),
  Buffer.from([0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
  Buffer.alloc(12, 0xff),
);
const plain = fc
  .record({
    path: name,
    type: fc.constantFrom('0', '\0', '1', '2', '5', '6', '7', 'S', 'D'),
    content: content,
    target: fc.constantFrom('', 'v/a', 'b'),
    size,
    format: fc.constantFrom('ustar\x0000', 'ustar  \0', '', 'ustar\x0001'),
    prefix: fc.constantFrom('', '', '', 'p'),
  })
  .map(({ type, content: text, size: field, ...rest }) => {
    // Mostly an entry as it should be.
    const isFile = type === '0' || type === '\0';
    return forgedEntry({
      ...rest,
      type,
      content: isFile || field !== undefined ? text : '',
      ...(field && { size: field }),
    });
  });
const honest = fc
  .record({ path: fc.constantFrom('v/a', 'v/b', 'v/c/d', 'v/a b'), content })
  .map((entry) => forgedEntry(entry));
const record = fc
  .tuple(
    fc.constantFrom(
      'path',
      'linkpath',
      'size',
      'mtime',
      'comment',
      'GNU.sparse.name',
      'GNU.sparse.size',
      'uid',
      'hdrcharset',
    ),
    fc.constantFrom('v/p', '0', '1', '512', '700', '', 'v/\0q', '-1', 'BINARY'),
  )
  .map(([key, value]) => paxRecord(key, value));
const extended = fc.oneof(
  fc
    .tuple(fc.array(record, { minLength: 1, maxLength: 2 }), fc.constantFrom('x', 'x', 'g'))
    .map(([records, type]) => paxEntry(records.join(''), type)),
  fc
    .tuple(fc.constantFrom('L', 'K'), fc.constantFrom('v/long\0', 'v/long', '\0v/long', 'v/lo\0ng\0', ''))
    .map(([type, text]) => forgedEntry({ path: '././@LongLink', type, content: text, format: 'ustar  \0' })),
);
const empty = fc.constant(Buffer.alloc(512));
const mutation = fc.record({ at: fc.nat(), byte: fc.nat(255), isRepaired: fc.boolean() });

const archives = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: honest },
        { weight: 3, arbitrary: plain },
        { weight: 3, arbitrary: extended },
        { weight: 1, arbitrary: empty },
      ),
      { maxLength: 5 },
    ),
    fc.array(mutation, { maxLength: 2 }),
    fc.boolean(),
  )
  .map(([parts, mutations, isMutated]) => {
    const archive = Buffer.concat([...parts, TAR_END]);
    for (const { at, byte, isRepaired } of isMutated ? mutations : []) {
      const place = at % archive.length;
      archive[place] = byte;
      if (isRepaired) repairChecksum(archive.subarray(place - (place % 512), place - (place % 512) + 512));
    }
    return archive;
  });

test(
  'what the check accepts is what GNU tar and busybox read: the same entries, sizes and contents',
  () => {
    const counts = { refused: 0, agreed: 0, busybox: 0 };
    fc.assert(
      fc.property(archives, (archive) => {
        const seen = checked(archive);
        if (seen === undefined) {
          counts.refused++;
          return;
        }
        const { hasRecords, ...expected } = seen;
        // Owners and times may be odd; tar then complains, and so does unpacking.
        const read = readByTar(archive, ['tar']);
        if (read === undefined) return;
        expect(read).toEqual(expected);
        counts.agreed++;
        // Busybox reads no pax records.
        if (hasRecords) return;
        const other = readByTar(archive, ['busybox', 'tar']);
        if (other === undefined) return;
        expect(other.content).toBe(expected.content);
        counts.busybox++;
      }),
      SECONDS > 0
        ? {
            seed: SEED,
            numRuns: 1_000_000,
            interruptAfterTimeLimit: (SECONDS * 1_000) / 4,
            markInterruptAsFailure: false,
          }
        : { seed: SEED, numRuns: 400 },
    );
    console.log(`archives: ${JSON.stringify(counts)}`);
    expect(counts.agreed).toBeGreaterThan(20);
    expect(counts.refused).toBeGreaterThan(20);
  },
  1_000 * (SECONDS + 120),
);
