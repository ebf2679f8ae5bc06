import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { standardBackup } from '@hortus/contract/resources/backup-settings';
import type { Bundle } from '@hortus/contract/resources/imports';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { BundleReader } from './read-bundle.ts';
import { BundleWriter } from './write-bundle.ts';

const folder = temporaryFolder('bundle');
afterAll(folder.remove);
const passphrase = 'a secret for the road';
/** Weakest key derivation, because these tests open hundreds of bundles. */
const weak = { N: 2, r: 1, p: 1 };

const large = randomBytes(2_500_000);
const contents = new Map([
  ['data', large],
  ['nothing', Buffer.alloc(0)],
  ['small', Buffer.from('a few bytes')],
]);
const bundle: Bundle = {
  format: 1,
  name: 'Our blog',
  instance_uid: 'blog',
  template: { species: 'inkwell', version: '1.2.0', spec_hash: `sha256:${'0'.repeat(64)}`, spec: { slug: 'inkwell' } },
  revision: 3,
  profile: 'production',
  variant: null,
  inputs: { WEB_HOSTNAME: 'blog.example.org' },
  watch_seconds: 60,
  heal: false,
  backup: standardBackup,
  secrets: [{ name: 'DB_PASSWORD', kind: 'generated', value: 'correct-horse-battery' }],
  volumes: [...contents].map(([name, { length }]) => ({ name, bytes: length })),
  exported_at: '2026-01-02T03:04:05Z',
};

async function write(name: string, strength?: typeof weak): Promise<string> {
  const path = join(folder.path, name);
  const writer = await BundleWriter.begin(path, passphrase, bundle, strength);
  async function* inPieces(content: Buffer) {
    for (let at = 0; at < content.length; at += 70_000) yield content.subarray(at, at + 70_000);
  }
  for (const [volume, content] of contents) await writer.volume(volume, inPieces(content));
  await writer.finish();
  return path;
}

const refusal = (path: string, words = passphrase): Promise<string> =>
  BundleReader.open(path, words).then(
    () => expect.fail('It was opened.'),
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return error.message;
    },
  );

let whole: Buffer;
let path: string;
beforeAll(async () => {
  path = await write('weak.hortus', weak);
  whole = readFileSync(path);
});

test('a bundle returns its content, and each volume repeatedly', async () => {
  const strong = await write('strong.hortus');
  const reader = await BundleReader.open(strong, passphrase);
  expect(reader.bundle).toEqual(bundle);
  for (const [name, content] of [...contents, ...contents])
    expect((await buffer(reader.volume(name))).equals(content), name).toBe(true);
  await reader.close();
  expect(statSync(strong).mode & 0o777).toBe(0o600);
  const text = readFileSync(strong, 'latin1');
  for (const secret of ['correct-horse-battery', 'blog.example.org', passphrase]) expect(text).not.toContain(secret);
});

test('a wrong passphrase is distinguished from a damaged file', async () => {
  expect(await refusal(path, 'another secret')).toContain('not the passphrase');
  expect(await refusal(join(folder.path, 'nowhere'))).toContain('does not exist');
});

test('other files and other bundle formats are refused', async () => {
  const other = join(folder.path, 'other');
  writeFileSync(other, 'PK\x03\x04 and so on');
  expect(await refusal(other)).toContain('is not a Hortus bundle');
  writeFileSync(other, whole.toString('latin1').replace('HORTUS-BUNDLE 1', 'HORTUS-BUNDLE 2'), 'latin1');
  expect(await refusal(other)).toContain('format 2');
  const greedy = whole.toString('latin1').replace('"N":2,', '"N":1073741824,');
  writeFileSync(other, greedy, 'latin1');
  expect(await refusal(other)).toContain('its header was changed');
});

test('a damage error names the damaged place', async () => {
  const damaged = join(folder.path, 'damaged');
  const flip = (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(damaged, bytes);
  };
  flip(whole.length >> 1);
  expect(await refusal(damaged)).toContain('a byte was changed in the volume data, chunk 2');
  flip(whole.length - 5);
  expect(await refusal(damaged)).toContain('a byte was changed in its end');
  writeFileSync(damaged, whole.subarray(0, whole.length >> 1));
  expect(await refusal(damaged)).toContain('cut off in the volume data');
  writeFileSync(damaged, Buffer.concat([whole, Buffer.from('x')]));
  expect(await refusal(damaged)).toContain('something follows its end');
});

test('a bundle with any changed byte or any truncation is refused', { timeout: 120_000 }, async () => {
  const spoilt = join(folder.path, 'spoilt');
  const anywhere = fc.oneof(
    fc.nat(whole.length - 1),
    fc.nat(400),
    fc.nat(400).map((n) => whole.length - 1 - n),
  );
  await fc.assert(
    fc.asyncProperty(anywhere, fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, mask, cut) => {
      const bytes = Buffer.from(cut ? whole.subarray(0, at) : whole);
      if (!cut) bytes[at] = (bytes[at] ?? 0) ^ mask;
      writeFileSync(spoilt, bytes);
      expect(await refusal(spoilt)).not.toContain('undefined');
    }),
    { numRuns: 150 },
  );
});

test('an abandoned bundle leaves no file', async () => {
  const overrides = join(folder.path, 'given-up');
  const writer = await BundleWriter.begin(overrides, passphrase, bundle, weak);
  const failing = async function* () {
    yield Buffer.from('some');
    throw new Error('The server is gone.');
  };
  await expect(writer.volume('data', failing())).rejects.toThrow('The server is gone.');
  await writer.abandon();
  expect([existsSync(overrides), existsSync(`${overrides}.part`)]).toEqual([false, false]);
});

test('a bundle whose process exits early leaves no file', async () => {
  const broken = join(folder.path, 'broken-off');
  const program = `
    const { BundleWriter } = await import(${JSON.stringify(new URL('write-bundle.ts', import.meta.url).href)});
    await BundleWriter.begin(${JSON.stringify(broken)}, 'a secret', ${JSON.stringify(bundle)}, ${JSON.stringify(weak)});
    console.log('begun', (await import('node:fs')).existsSync(${JSON.stringify(`${broken}.part`)}));
    process.exit(130);`;
  const child = startProcess([process.execPath, '--input-type=module', '-e', program]);
  await child.waitForLine('begun true');
  await until(() => !existsSync(`${broken}.part`), { describe: 'the file to be gone' });
  expect(existsSync(broken)).toBe(false);
});
