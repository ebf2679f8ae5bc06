import { execFileSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { takeTurn } from '@hortus/testkit/turn';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Arch } from '../../scripts/agent/stripped-node.ts';
import { type BuiltImages, buildImages } from '../../scripts/image/image.ts';
import { builtConsole } from '../console/console-service.ts';

const folder = temporaryFolder('image-files');
const place = (name: string) => join(folder.path, name);
const own: Arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const machines: Record<Arch, string> = { amd64: 'Advanced Micro Devices X86-64', arm64: 'AArch64' };
let built: BuiltImages;

beforeAll(async () => {
  await builtConsole();
  await using _turn = await takeTurn('image-build');
  built = await buildImages({ archs: ['amd64', 'arm64'], output: place('image'), time: 0, daemonsFrom: place('none') });
}, 600_000);
afterAll(() => folder.remove());

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const blob = (digest: string) => join(built.layout, 'blobs', digest.replace(':', '/'));
const readelf = (option: string, file: string) =>
  execFileSync('readelf', ['--wide', option, file], { encoding: 'utf8' });

/** Unpacks the layers of an image over each other, as an engine does. */
function unpacked(arch: Arch): string {
  const root = place(`root-${arch}`);
  if (existsSync(root)) return root;
  mkdirSync(root);
  const digest = built.images.find((image) => image.arch === arch)?.digest as string;
  for (const layer of json(blob(digest)).layers)
    execFileSync('tar', ['--extract', '--gzip', '--no-same-owner', '--file', blob(layer.digest), '--directory', root]);
  return root;
}

test('the layout has one index with both platforms', () => {
  const [named] = json(join(built.layout, 'index.json')).manifests;
  expect(named.annotations).toEqual({ 'org.opencontainers.image.ref.name': built.release.version });
  expect(json(blob(named.digest)).manifests).toMatchObject([
    { digest: built.images[0]?.digest, platform: { os: 'linux', architecture: 'amd64' } },
    { digest: built.images[1]?.digest, platform: { os: 'linux', architecture: 'arm64' } },
  ]);
});

test('a second build gives the same digest, also when nothing of the first is kept', async () => {
  await using _turn = await takeTurn('image-build');
  const options = { archs: [own], time: 0, daemonsFrom: place('none'), cache: place('empty') };
  const again = await buildImages({ ...options, output: place('again') });
  const first = built.images.find(({ arch }) => arch === own);
  expect(again.images[0]?.digest).toBe(first?.digest);
  const bytes = (archive = '') => execFileSync('sha256sum', [archive], { encoding: 'utf8' }).split(' ')[0];
  expect(bytes(again.images[0]?.archive)).toBe(bytes(first?.archive));
}, 600_000);

describe.each(['amd64', 'arm64'] as const)('the image for %s', (arch) => {
  test('has every library that its programs need, for its processor', () => {
    const root = unpacked(arch);
    const programs = [join(root, 'usr/bin/node'), ...globSync(join(root, 'lib*/**/*.so*'))].filter((path) =>
      lstatSync(path).isFile(),
    );
    const names = new Set(programs.map((path) => basename(path)));
    expect(programs.length).toBeGreaterThan(7);
    for (const path of programs) {
      expect(readelf('--file-header', path), path).toMatch(new RegExp(`Machine: +${machines[arch]}`));
      const needed = [...readelf('--dynamic', path).matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name]) => name);
      expect(
        needed.filter((name) => !names.has(name as string)),
        path,
      ).toEqual([]);
    }
    const [, loader = ''] = /interpreter: (.+)\]/.exec(readelf('--program-headers', programs[0] as string)) ?? [];
    expect(existsSync(join(root, loader)), loader).toBe(true);
  });

  test('contains Node as its only program, no source maps and no source', () => {
    const root = unpacked(arch);
    expect(readdirSync(join(root, 'usr/bin'))).toEqual(['node']);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    expect(files.filter((path) => /(^|\/)(s?bin)\//.test(path))).toEqual(['usr/bin/node']);
    expect(files.filter((path) => /\.(map|tsx?)$|node_modules/.test(path))).toEqual([]);
  });

  test('belongs to root, but for the folders that the service writes to, and nothing is setuid', () => {
    const digest = built.images.find((image) => image.arch === arch)?.digest as string;
    const lines = (json(blob(digest)).layers as { digest: string }[]).flatMap((layer) =>
      execFileSync('tar', ['--list', '--verbose', '--gzip', '--numeric-owner', '--file', blob(layer.digest)], {
        encoding: 'utf8',
      })
        .trim()
        .split('\n'),
    );
    const owned = lines.filter((line) => !line.includes(' 0/0 ')).map((line) => line.split(/\s+/).at(-1));
    expect(owned.sort()).toEqual(['run/hortus/', 'var/lib/hortus/']);
    expect(lines.filter((line) => /^.{3}[sS]|^.{6}[sS]/.test(line))).toEqual([]);
  });
});
