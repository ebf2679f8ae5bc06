import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ContainerSpec } from '../engine/container-spec.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { readVolume, writeVolume } from './volumes.ts';
import { BrokenArchive } from './whole-tar.ts';
import { closeLeftWindows, type VolumePlace } from './window.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

async function newVolume(): Promise<VolumePlace> {
  const volume = `v${randomBytes(6).toString('hex')}`;
  await server.engine.ensureVolume({ name: volume, labels: { 'hortus.server': server.id }, owner: [] });
  return { engine: server.engine, serverId: server.id, volume };
}

/** Runs a script with the volume at /data, in a container that then sleeps. */
async function withVolume(volume: string, script: string): Promise<string> {
  const id = await server.engine.create(beside(volume));
  await server.engine.start(id);
  const output = await server.run(id, 'sh', '-c', `cd /data; ${script}`);
  await server.engine.remove(id, { force: true });
  return output;
}

function beside(volume: string): ContainerSpec {
  return {
    name: server.newUid(),
    image,
    command: ['sleep', '1000'],
    mounts: [{ kind: 'volume', volume, target: '/data', readOnly: false }],
    labels: { 'hortus.server': server.id },
    env: {},
    limits: { ulimits: {} },
    restart: 'no',
    ports: [],
    network: { kind: 'none' },
    privileged: false,
    pid: 'private',
    ipc: 'private',
    seccomp: 'default',
    apparmor: 'default',
    noNewPrivileges: false,
    capabilities: { add: [], drop: [] },
    devices: [],
    sysctls: {},
    extraHosts: {},
    readOnlyRoot: false,
    init: true,
    tty: false,
    stopGraceMs: 0,
  };
}

/** Everything that must come back as it was: names, modes, owners, times, sizes, links, contents. */
const listing = `find . -print0 | sort -z | xargs -0 busybox stat -c '%n %f %u:%g %Y %s %h'
find . -type l -print0 | sort -z | xargs -0 -n1 readlink
find . -type f -print0 | sort -z | xargs -0 busybox sha256sum`.replaceAll(
  /\b(find|sort|xargs|readlink)\b/g,
  'busybox $1',
);

const odd = `
mkdir -p deep/$(printf 'n%.0s' $(seq 1 120))/$(printf 'm%.0s' $(seq 1 120)) 'with space' empty
echo plain > plain; ln plain 'with space/hard'; ln -s ../plain empty/soft; ln -s /nowhere dangling
printf latin > "$(printf 'latin-\\377-1')"; echo snow > 'snow ☃'; echo line > "$(printf 'two\\nlines')"
echo quote > "it's \\"quoted\\" \\$HOME"; busybox mkfifo pipe
echo run > program; chmod 4755 program; chmod 1777 empty; chmod 0000 plain; chown 999:888 program; chown -h 5:6 dangling
dd if=/dev/zero of=sparse bs=1 count=1 seek=5000000 2>/dev/null; dd if=/dev/urandom of=random bs=1000 count=700 2>/dev/null
: > nothing; busybox touch -t 200102030405.06 plain program; busybox touch -t 197001010000 nothing
chown 70:71 .; chmod 0700 .; busybox touch -t 199912312359.58 .`;

test('what was in a volume is in the other one: owners, modes, times, links, names of any bytes', async () => {
  const from = await newVolume();
  const to = await newVolume();
  await withVolume(from.volume, odd);
  const [copied, given] = await readVolume(from, async (content, facts) => [await writeVolume(to, content), facts()]);
  const before = await withVolume(from.volume, listing);
  expect(before.split('\n').length).toBeGreaterThan(30);
  expect(await withVolume(to.volume, listing)).toBe(before);
  expect(copied).toEqual(given);
  expect(copied?.entries).toBe(18);
  expect(await windows()).toEqual([]);
});

test('an empty volume is an archive without entries', async () => {
  const [from, to] = [await newVolume(), await newVolume()];
  expect(await readVolume(from, async (content) => await writeVolume(to, content))).toEqual({ entries: 0, bytes: 0 });
});

test('a volume that is not there is not made', async () => {
  const gone = { engine: server.engine, serverId: server.id, volume: `v${randomBytes(6).toString('hex')}` };
  await expect(readVolume(gone, buffer)).rejects.toMatchObject({ kind: 'not_found' });
  await expect(writeVolume(gone, Readable.from([]))).rejects.toMatchObject({ kind: 'not_found' });
  expect(await server.engine.volume(gone.volume)).toBeUndefined();
});

test('an archive that is cut is an error when it is written, wherever it is cut', async () => {
  const [from, to] = [await newVolume(), await newVolume()];
  await withVolume(from.volume, 'dd if=/dev/urandom of=random bs=1000 count=90 2>/dev/null; echo a > b');
  const whole = await readVolume(from, buffer);
  for (const length of [0, 512, 700, 50_000, whole.length - 1024]) {
    const cut = Readable.from([whole.subarray(0, length)], { objectMode: false });
    await expect(writeVolume(to, cut)).rejects.toThrow(`volume ${to.volume} is not whole`);
  }
  await expect(writeVolume(to, Readable.from([whole]))).resolves.toMatchObject({ bytes: 90_002 });
  expect(await windows()).toEqual([]);
});

test('a source that fails is told by its own words, and nothing stays open', async () => {
  const to = await newVolume();
  const source = new PassThrough();
  source.write(Buffer.alloc(100));
  const written = writeVolume(to, source);
  setImmediate(() => source.destroy(new Error('the bucket is gone')));
  await expect(written).rejects.toThrow('the bucket is gone');
  expect(await windows()).toEqual([]);
});

test('a reader that stops early stops the engine', async () => {
  const from = await newVolume();
  await withVolume(from.volume, 'dd if=/dev/zero of=large bs=1M count=64 2>/dev/null');
  const first = await readVolume(from, async (content) => (await once(content, 'data'))[0] as Buffer);
  expect(first.length).toBeLessThan(1024 * 1024);
  expect(await windows()).toEqual([]);
});

test('a signal ends it', async () => {
  const from = { ...(await newVolume()), signal: AbortSignal.abort() };
  await expect(readVolume(from, buffer)).rejects.toMatchObject({ kind: 'aborted' });
  expect(await windows()).toEqual([]);
});

test('a file that becomes shorter while it is read is no silent loss', async () => {
  const from = await newVolume();
  await withVolume(from.volume, 'dd if=/dev/zero of=a bs=1M count=64 2>/dev/null; echo kept > b');
  const read = readVolume(from, async (content) => {
    const hash = createHash('sha256');
    let seen = 0;
    for await (const chunk of content as AsyncIterable<Buffer>) {
      hash.update(chunk);
      if (seen === 0) await withVolume(from.volume, ': > a');
      seen += chunk.length;
    }
    return seen;
  });
  await expect(read).rejects.toThrow(BrokenArchive);
});

test('what a killed daemon left open is closed by the next one, and of this server alone', async () => {
  const place = await newVolume();
  let inside: string[] = [];
  let afterwards: string[] = [];
  await readVolume(place, async () => {
    inside = await windows();
    await closeLeftWindows(server.engine, 'srv_another', 'the next');
    await closeLeftWindows(server.engine, server.id);
    expect(await windows()).toEqual(inside);
    await closeLeftWindows(server.engine, server.id, 'the next');
    afterwards = await windows();
  });
  expect(inside).toHaveLength(1);
  expect(afterwards).toEqual([]);
});

async function windows(): Promise<string[]> {
  return (await server.names()).filter((name) => name.startsWith('hortus-volume-'));
}
