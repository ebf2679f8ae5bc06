import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSignedBy } from '@hortus/daemon/trust/manifest-signature';
import { readReleaseKey } from '@hortus/daemon/update/release-key';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeReleaseKey, publicKeyOf, readPrivateKey } from './release-key.ts';
import { signRelease } from './sign.ts';

const folder = temporaryFolder('release-key');
const keyFile = join(folder.path, 'release.pem');
let publicKey: string;
beforeAll(() => {
  publicKey = makeReleaseKey(keyFile);
});
afterAll(() => folder.remove());

describe('the private release key', () => {
  it('is readable by its owner only, and never replaced', () => {
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const before = readFileSync(keyFile, 'utf8');
    expect(() => makeReleaseKey(keyFile)).toThrow('EEXIST');
    expect(readFileSync(keyFile, 'utf8')).toBe(before);
    expect(publicKeyOf(readPrivateKey(keyFile))).toBe(publicKey);
  });

  it('is not written into the repository', () => {
    const inside = join(import.meta.dirname, 'release.pem');
    expect(() => makeReleaseKey(inside)).toThrow('inside the repository');
  });

  it('is not printed by the script that makes it', () => {
    const file = join(folder.path, 'printed.pem');
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(import.meta.dirname, 'make-key.ts'), file], {
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toContain(`Public key: ${publicKeyOf(readPrivateKey(file))}\n`);
    expect(stdout + stderr).not.toContain('PRIVATE KEY');
    expect(stdout + stderr).not.toContain(readFileSync(file, 'utf8').split('\n')[1]);
  });
});

it('a signature covers the bytes, the file name and the version, and nothing else verifies it', async () => {
  const binary = join(folder.path, 'hortusd-linux-amd64');
  writeFileSync(binary, 'the daemon');
  const release = await signRelease(binary, '1.4.0', readPrivateKey(keyFile));
  expect(JSON.parse(readFileSync(`${binary}.sig`, 'utf8'))).toEqual(release);
  const key = readReleaseKey(publicKey);
  expect(isSignedBy(key, release)).toBe(true);
  for (const change of [{ version: '1.4.1' }, { file: 'hortusd-linux-arm64' }, { sha256: '0'.repeat(64) }])
    expect(isSignedBy(key, { ...release, ...change })).toBe(false);
  const foreign = readReleaseKey(makeReleaseKey(join(folder.path, 'foreign.pem')));
  expect(isSignedBy(foreign, release)).toBe(false);
});
