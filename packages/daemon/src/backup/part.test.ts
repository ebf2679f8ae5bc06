import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { constants, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { BackupStore } from './backup-store.ts';
import { formatOne } from './format-1.fixture.ts';
import { readPart, type Vessel, writePart } from './part.ts';

/** Keeps every version of a file, like a versioned bucket or a copied disk. */
class RememberingStore implements BackupStore {
  readonly address = 'memory';
  readonly written: Buffer[] = [];

  async write(_: unknown, __: string, content: Readable): Promise<void> {
    this.written.push(await buffer(content));
  }
  async read(): Promise<Readable> {
    return Readable.from([this.written.at(-1)], { objectMode: false });
  }
  async remove(): Promise<void> {}
  async free(): Promise<undefined> {
    return undefined;
  }
}

const xor = (a: Buffer, b: Buffer) => Buffer.from(a.subarray(0, b.length).map((byte, at) => byte ^ (b[at] ?? 0)));
const compressed = (bytes: Buffer) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });

test('a backup repeated under its id shares no key stream with the killed one', async () => {
  const store = new RememberingStore();
  const vessel: Vessel = { store, place: { instanceUid: 'blog', backupId: 'bkp_1' }, key: randomBytes(32) };
  // Random bytes are incompressible: the stored block contains them unchanged after a short header.
  const [before, after] = [randomBytes(4_096), randomBytes(4_096)];
  for (const content of [before, after])
    await writePart(vessel, { kind: 'volume', name: 'data' }, Readable.from([content], { objectMode: false }));
  const [first, second] = store.written as [Buffer, Buffer];
  expect(compressed(before).includes(before)).toBe(true);
  // With the same key and nonce the ciphertexts would differ exactly where the plaintexts do, which reveals the
  // plaintexts.
  expect(xor(first, second).includes(xor(before, after).subarray(0, 1_024))).toBe(false);
});

test('a part of format 1 is readable', async () => {
  const store = new RememberingStore();
  store.written.push(formatOne.stored);
  const { place, key, part } = formatOne;
  expect(await readPart({ store, place, key }, part, text)).toBe(formatOne.content);
});
