import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tarOf } from '../engine/docker/tar.ts';
import { CheckedTar } from './checked-tar.ts';
import { BrokenArchive, TarCheck } from './tar-check.ts';

const file = fc.record({
  path: fc.stringMatching(/^\/[a-z]{1,40}(\/[a-z]{1,90}){0,3}$/),
  mode: fc.constant('0644'),
  content: fc.string({ maxLength: 2_000 }),
});

function pieces(archive: Buffer, sizes: readonly number[]): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0, turn = 0; at < archive.length; turn++) {
    const size = sizes[turn % sizes.length] ?? archive.length;
    cut.push(archive.subarray(at, at + size));
    at += size;
  }
  return cut;
}

async function through(chunks: Buffer[]): Promise<{ bytes: Buffer; checked: CheckedTar }> {
  const checked = new CheckedTar('a test', Readable.from(chunks, { objectMode: false }));
  const bytes = await buffer(checked);
  return { bytes, checked };
}

test('an archive is passed on unchanged, however it is split, and its bytes are counted', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 5 }), sizes, async (files, cuts) => {
      const archive = tarOf(files);
      const { bytes, checked } = await through(pieces(archive, cuts));
      expect(bytes.equals(archive)).toBe(true);
      const total = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
      expect(checked.facts).toEqual({ entries: files.length, bytes: total });
    }),
    { numRuns: 100 },
  );
});

test('truncation is detected at every position', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), fc.nat(), async (files, where) => {
      const archive = tarOf(files);
      const kept = where % (archive.length - 512);
      await expect(through([archive.subarray(0, kept)])).rejects.toThrow(BrokenArchive);
    }),
    { numRuns: 100 },
  );
});

test('a damaged header is detected', async () => {
  const archive = tarOf([{ path: '/a', mode: '0644', content: 'x' }]);
  archive[3] = 1;
  await expect(through([archive])).rejects.toThrow('The archive of a test is corrupt: a header is damaged.');
});

test('a slow reader applies backpressure', async () => {
  const [archive] = [tarOf(Array.from({ length: 200 }, (_, i) => ({ path: `/${i}`, mode: '0644', content: 'x' })))];
  let taken = 0;
  async function* source() {
    for (const piece of pieces(archive, [1024])) {
      taken++;
      yield piece;
    }
  }
  const read: Buffer[] = [];
  for await (const piece of new CheckedTar('a test', Readable.from(source())) as AsyncIterable<Buffer>) {
    read.push(piece);
    await new Promise(setImmediate);
    // Pieces buffered here and in the source.
    expect(taken - read.length).toBeLessThan(50);
  }
  expect(Buffer.concat(read).equals(archive)).toBe(true);
});

test('a failed proof is an error, and so is a source that closes early', async () => {
  const archive = tarOf([{ path: '/a', mode: '0644', content: 'x' }]);
  const proof = () => Promise.reject(new BrokenArchive('a file shrank'));
  await expect(buffer(new CheckedTar('a test', Readable.from([archive]), { proof }))).rejects.toThrow('a file shrank');
  const gone = new PassThrough();
  gone.write(archive.subarray(0, 600));
  const reading = buffer(new CheckedTar('a test', gone));
  setImmediate(() => gone.destroy());
  await expect(reading).rejects.toThrow('it ends early');
});

test('destroying the stream stops the source', async () => {
  const source = new PassThrough();
  const whole = new CheckedTar('a test', source);
  whole.destroy();
  await once(source, 'close');
});

test('a size record overrides the size in the header', () => {
  const size = 9 * 1024 ** 3;
  const [header] = pieces(tarOf([{ path: '/large', mode: '0644', content: '' }]), [512]) as [Buffer];
  const record = `19 size=${size}\n`.replace(/^\d+/, String(`NN size=${size}\n`.length));
  const records = Buffer.alloc(512, 0);
  records.write(record);
  const [before] = pieces(tarOf([{ path: '/pax', mode: '0644', content: record }]), [512]) as [Buffer];
  before.write('x', 156);
  before.write(' '.repeat(8), 148);
  const sum = before.reduce((total, byte) => total + byte, 0);
  before.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const checked = new TarCheck('a test');
  checked.read(Buffer.concat([before, records, header]));
  checked.read(Buffer.alloc(1));
  expect(checked.facts.bytes).toBe(size);
});
