import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type S3Server, startS3, type Trouble } from '@hortus/testkit/s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MANIFEST_FILE } from '../backup-store.ts';
import { checkPart, writePart } from '../part.ts';
import { type S3Settings, S3Store } from './s3-store.ts';

const PART = 100_000;
let s3: S3Server;
beforeEach(async () => {
  s3 = await startS3({ minPart: PART });
});
afterEach(async () => await s3[Symbol.asyncDispose]());

const open = (more: Partial<S3Settings> = {}) => {
  const { endpoint, bucket, region, credentials } = s3;
  const settings = { endpoint, bucket, region, credentials, pathStyle: true, prefix: 'web-1/', ...more };
  return new S3Store(settings, { partBytes: PART, firstPauseMs: 1, silenceMs: 5_000 });
};
const place = { instanceUid: 'blog', backupId: 'bkp_1' };
const stream = (content: Buffer) => Readable.from(inPieces(content), { objectMode: false });
async function* inPieces(content: Buffer) {
  for (let at = 0; at < content.length; at += 30_001) yield content.subarray(at, at + 30_001);
}
const read = async (store: S3Store, file: string) => await buffer(await store.read(place, file));
const message = (of: Promise<unknown>): Promise<string> =>
  of.then(
    () => expect.fail('expected a failure'),
    (error: Error) => error.message,
  );

test('files of every size come back unchanged, large ones as multipart uploads', async () => {
  const store = open();
  for (const size of [0, 1, PART - 1, PART, PART + 1, 2 * PART, 7 * PART + 12_345]) {
    const content = randomBytes(size);
    await store.write(place, `${size}.part`, stream(content));
    expect((await read(store, `${size}.part`)).equals(content), String(size)).toBe(true);
  }
  expect(s3.uploads).toEqual([]);
  expect([...s3.objects.keys()]).toContain('web-1/blog/bkp_1/0.part');
  expect(s3.asked.filter((line) => line.includes('partNumber=8'))).toHaveLength(1);
});

test('removing a backup also removes unfinished uploads of a killed daemon, and nothing else', async () => {
  const store = open();
  for (const file of ['a', 'b', 'c', 'd', MANIFEST_FILE]) await store.write(place, file, stream(Buffer.from(file)));
  const other = { ...place, backupId: 'bkp_10' };
  await store.write(other, MANIFEST_FILE, stream(Buffer.from('other')));
  // The abort fails too, as if the daemon had been killed.
  const isParts = (url: string) =>
    url.includes('partNumber=2') || (url.includes('uploadId') && !url.includes('partNumber'));
  s3.trouble = (_, url) => (isParts(url) ? 'hang_up' : undefined);
  await message(store.write(place, 'large', stream(randomBytes(3 * PART))));
  s3.trouble = () => undefined;
  expect(s3.uploads).toHaveLength(1);
  await store.remove(place);
  expect([[...s3.objects.keys()], s3.uploads]).toEqual([['web-1/blog/bkp_10/manifest.json'], []]);
  await store.remove(place);
});

test('a failed write leaves neither an object nor an upload', async () => {
  const store = open();
  async function* breaking() {
    yield randomBytes(3 * PART);
    throw new Error('The volume is gone.');
  }
  const broken = Readable.from(breaking(), { objectMode: false });
  expect(await message(store.write(place, 'volume.part', broken))).toBe('The volume is gone.');
  expect([s3.objects.size, s3.uploads]).toEqual([0, []]);
});

test.each<Trouble>(['unavailable', 'hang_up'])('a request that is %s temporarily is retried', async (kind) => {
  const store = open();
  const seen = new Map<string, number>();
  // Twice for every distinct request.
  s3.trouble = (method, url) => {
    const times = (seen.get(`${method} ${url}`) ?? 0) + 1;
    seen.set(`${method} ${url}`, times);
    return method !== 'BODY' && times <= 2 ? kind : undefined;
  };
  const content = randomBytes(2 * PART + 5);
  await store.write(place, 'volume.part', stream(content));
  expect((await read(store, 'volume.part')).equals(content)).toBe(true);
  await store.remove(place);
  expect(s3.objects.size).toBe(0);
});

test('an interrupted download resumes at its offset', async () => {
  const store = open();
  const content = randomBytes(5 * PART);
  await store.write(place, 'volume.part', stream(content));
  let cuts = 3;
  s3.trouble = (method) => (method === 'BODY' && cuts-- > 0 ? 'cut' : undefined);
  expect((await read(store, 'volume.part')).equals(content)).toBe(true);
});

test('a service that stays unavailable is an error in the end', async () => {
  const store = open();
  s3.trouble = () => 'unavailable';
  expect(await message(store.read(place, 'volume.part'))).toContain('SlowDown');
  expect(s3.asked).toHaveLength(5);
});

test('a wrong setting is reported once, with advice and without secrets', async () => {
  const { accessKeyId, secretAccessKey } = s3.credentials;
  const reported = async (more: Partial<S3Settings>) => {
    s3.trouble = () => undefined;
    const before = s3.asked.length;
    const said = await message(open(more).write(place, 'a', stream(Buffer.from('a'))));
    expect(s3.asked.length - before).toBe(1);
    expect(said).not.toContain(secretAccessKey);
    return said;
  };
  expect(await reported({ bucket: 'attic' })).toContain('bucket attic does not exist');
  expect(await reported({ credentials: { accessKeyId, secretAccessKey: 'wrong' } })).toContain('SignatureDoesNotMatch');
  expect(await reported({ credentials: { accessKeyId: 'unknown', secretAccessKey } })).toContain(
    'access key is unknown',
  );
  expect(await reported({ region: 'elsewhere' })).toContain('region');
  expect(await message(open().read(place, 'nothing'))).toContain('NoSuchKey');
});

test('a part of a backup is sealed in the bucket, and one changed byte there is detected', async () => {
  const vessel = { store: open(), place, key: randomBytes(32) };
  const text = Buffer.from('rows of a database '.repeat(20_000));
  const content = Buffer.concat([text, randomBytes(3 * PART)]);
  const part = { ...(await writePart(vessel, { kind: 'volume', name: 'data' }, stream(content))), entries: 1 };
  const key = 'web-1/blog/bkp_1/volume-data.part';
  const stored = s3.objects.get(key) ?? expect.fail('the object is missing');
  expect(stored.length).toBe(part.stored_bytes);
  expect(stored.includes('rows of a database')).toBe(false);
  await checkPart(vessel, part);
  stored[stored.length >> 1] = (stored[stored.length >> 1] ?? 0) ^ 1;
  expect(await message(checkPart(vessel, part))).toContain('volume data');
});
