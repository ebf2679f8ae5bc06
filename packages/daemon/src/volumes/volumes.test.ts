import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { canStartPodman, startPodman } from '@hortus/testkit/podman';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContainerSpec } from '../engine/container-spec.ts';
import { tarOf } from '../engine/docker/tar.ts';
import type { Engine } from '../engine/engine.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { localFolder } from './local-folder.ts';
import { BrokenArchive } from './tar-check.ts';
import { readVolume, writeVolume } from './volumes.ts';
import { closeLeftoverWindows, type VolumePlace, withWindow } from './window.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

async function newVolume(on = server): Promise<VolumePlace> {
  const volume = `v${randomBytes(6).toString('hex')}`;
  await on.engine.ensureVolume({ name: volume, labels: { 'hortus.server': on.id }, owner: [] });
  return { engine: on.engine, serverId: on.id, volume };
}

/** Runs a script with the volume at /data, in a container that then sleeps. */
async function withVolume(volume: string, script: string, on = server): Promise<string> {
  const id = await on.engine.create(beside(volume, on));
  await on.engine.start(id);
  const output = await on.run(id, 'sh', '-c', `cd /data; ${script}`);
  await on.engine.remove(id, { force: true });
  return output;
}

function beside(volume: string, on: TestServer): ContainerSpec {
  return {
    name: on.newUid(),
    image,
    command: ['sleep', '1000'],
    mounts: [{ kind: 'volume', volume, target: '/data', readOnly: false }],
    labels: { 'hortus.server': on.id },
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

/** Lists everything that a copy must preserve: names, modes, owners, times, sizes, links, contents. */
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

const ways = [
  { way: 'directly', throughEngine: false },
  { way: 'through the engine', throughEngine: true },
];

async function copiesEverything(from: VolumePlace, to: VolumePlace, on: TestServer): Promise<void> {
  await withVolume(from.volume, odd, on);
  const [copied, overrides] = await readVolume(from, async (content, facts) => [
    await writeVolume(to, content),
    facts(),
  ]);
  const before = await withVolume(from.volume, listing, on);
  expect(before.split('\n').length).toBeGreaterThan(30);
  expect(await withVolume(to.volume, listing, on)).toBe(before);
  expect(copied).toEqual(overrides);
  expect(copied?.entries).toBe(18);
}

const pairs = ways.flatMap((from) => ways.map((to) => ({ from, to })));
test.each(pairs)(
  'a copy read $from.way and written $to.way keeps owners, modes, times, links and names of any bytes',
  async ({ from, to }) => {
    const [source, target] = [await newVolume(), await newVolume()];
    await copiesEverything({ ...source, ...from }, { ...target, ...to }, server);
    expect(await windows()).toEqual([]);
  },
);

if (canStartPodman)
  test('Podman volumes are copied directly; copying through the engine is rejected, because it would lose owners', {
    timeout: 500_000,
  }, async () => {
    await using podman = await startPodman();
    const on = await TestServer.open({ socketPath: podman.socketPath });
    try {
      const [source, target] = [await newVolume(on), await newVolume(on)];
      await copiesEverything(source, target, on);
      const refused = { ...source, throughEngine: true };
      await expect(readVolume(refused, buffer)).rejects.toMatchObject({ kind: 'unsupported' });
      await expect(writeVolume(refused, Readable.from([]))).rejects.toMatchObject({ kind: 'unsupported' });
    } finally {
      await on.close();
    }
  });

const folderOf = (place: VolumePlace, to: 'read' | 'write' = 'read') =>
  withWindow(place, true, (id) => localFolder(place, id, to));

test('direct access is used only where the volume is a folder of this machine', async () => {
  const place = await newVolume();
  const folder = await folderOf(place);
  expect(folder).toBeDefined();
  const engineWith = (other: Partial<Engine>): Engine =>
    new Proxy(place.engine, {
      get: (target, name) => Reflect.get(other, name) ?? Reflect.get(target, name).bind(target),
    });
  const seen = async (other: Partial<Engine>) => await folderOf({ ...place, engine: engineWith(other) });
  const volume = async (name: string) => ({ name, labels: {}, folder });
  expect(await seen({ volume })).toBe(folder);
  expect(await seen({ volume: async (name) => ({ name, labels: {}, folder: '/usr' }) })).toBeUndefined();
  expect(await seen({ volume: async (name) => ({ name, labels: {}, folder: '/nowhere' }) })).toBeUndefined();
  expect(await seen({ volume: async (name) => ({ name, labels: {}, folder: undefined }) })).toBeUndefined();
  const info = await place.engine.info();
  expect(await folderOf(place, 'write')).toBe(folder);
  expect(await seen({ info: async () => ({ ...info, rootless: true }) })).toBeUndefined();
  expect(await seen({ info: async () => ({ ...info, remapsUsers: true }) })).toBeUndefined();
});

test('file capabilities are kept', async () => {
  // As the kernel stores it: cap_net_bind_service, permitted and effective.
  const capability = Buffer.from('0100000200040000000000000000000000000000', 'hex');
  const record = (value: Buffer) => {
    const rest = Buffer.concat([Buffer.from(' SCHILY.xattr.security.capability='), value, Buffer.from('\n')]);
    return Buffer.concat([Buffer.from(String(rest.length + 2)), rest]);
  };
  const archive = Buffer.concat([
    describing(record(capability)),
    tarOf([{ path: '/hortus-volume/program', mode: '0755', content: 'run' }]),
  ]);
  const source = await newVolume();
  await writeVolume({ ...source, throughEngine: true }, Readable.from([archive]));
  for (const { throughEngine } of ways) {
    const target = await newVolume();
    await readVolume({ ...source, throughEngine }, (content) => writeVolume({ ...target, throughEngine }, content));
    const kept = await readVolume({ ...target, throughEngine: true }, buffer);
    expect(kept.includes(record(capability))).toBe(true);
  }
});

/** Builds extended headers in front of the entry that they describe. */
function describing(records: Buffer): Buffer {
  const block = tarOf([{ path: '/records', mode: '0644', content: 'x'.repeat(records.length) }]).subarray(0, 1024);
  block.write('x', 156);
  block.fill(' ', 148, 156);
  const sum = block.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  block.fill(0, 512);
  records.copy(block, 512);
  return block;
}

test('equal content gives equal archives', async () => {
  const place = await newVolume();
  await withVolume(place.volume, odd);
  const first = await readVolume(place, buffer);
  await withVolume(place.volume, 'cat random > /dev/null; ls > /dev/null');
  expect((await readVolume(place, buffer)).equals(first)).toBe(true);
});

describe.each(ways)('$way', ({ throughEngine }) => {
  const newPlace = async (): Promise<VolumePlace> => ({ ...(await newVolume()), throughEngine });

  test('an empty volume is an archive without entries', async () => {
    const [from, to] = [await newPlace(), await newPlace()];
    expect(await readVolume(from, async (content) => await writeVolume(to, content))).toEqual({ entries: 0, bytes: 0 });
  });

  test('a missing volume is an error and is not created', async () => {
    const gone = {
      engine: server.engine,
      serverId: server.id,
      throughEngine,
      volume: `v${randomBytes(6).toString('hex')}`,
    };
    await expect(readVolume(gone, buffer)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(writeVolume(gone, Readable.from([]))).rejects.toMatchObject({ kind: 'not_found' });
    expect(await server.engine.volume(gone.volume)).toBeUndefined();
  });

  test('writing a truncated archive is an error, wherever it is cut', async () => {
    const [from, to] = [await newPlace(), await newPlace()];
    await withVolume(from.volume, 'dd if=/dev/urandom of=random bs=1000 count=90 2>/dev/null; echo a > b');
    const whole = await readVolume(from, buffer);
    const lastByte = whole.findLastIndex((byte) => byte !== 0);
    for (const length of [0, 512, 700, 50_000, lastByte]) {
      const cut = Readable.from([whole.subarray(0, length)], { objectMode: false });
      await expect(writeVolume(to, cut)).rejects.toThrow(`volume ${to.volume} is corrupt`);
    }
    await expect(writeVolume(to, Readable.from([whole]))).resolves.toMatchObject({ bytes: 90_002 });
    expect(await windows()).toEqual([]);
  });

  test('the error of a failed source is passed on, and nothing stays open', async () => {
    const to = await newPlace();
    const source = new PassThrough();
    source.write(Buffer.alloc(100));
    const written = writeVolume(to, source);
    setImmediate(() => source.destroy(new Error('the bucket is gone')));
    await expect(written).rejects.toThrow('the bucket is gone');
    expect(await windows()).toEqual([]);
  });

  test('a reader that stops early stops the engine', async () => {
    const from = await newPlace();
    await withVolume(from.volume, 'dd if=/dev/zero of=large bs=1M count=64 2>/dev/null');
    const first = await readVolume(from, async (content) => (await once(content, 'data'))[0] as Buffer);
    expect(first.length).toBeLessThan(1024 * 1024);
    expect(await windows()).toEqual([]);
  });

  test('an abort signal ends the copy', async () => {
    const from = { ...(await newPlace()), signal: AbortSignal.abort() };
    await expect(readVolume(from, buffer)).rejects.toMatchObject({ kind: 'aborted' });
    expect(await windows()).toEqual([]);
  });

  test('a file that shrinks while it is read is an error', async () => {
    const from = await newPlace();
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
});

test('helper containers of a killed daemon are removed by the next one, for this server only', async () => {
  const place = await newVolume();
  let inside: string[] = [];
  let afterwards: string[] = [];
  await readVolume(place, async () => {
    inside = await windows();
    await closeLeftoverWindows(server.engine, 'srv_another', 'the next');
    await closeLeftoverWindows(server.engine, server.id);
    expect(await windows()).toEqual(inside);
    await closeLeftoverWindows(server.engine, server.id, 'the next');
    afterwards = await windows();
  });
  expect(inside).toHaveLength(1);
  expect(afterwards).toEqual([]);
});

async function windows(): Promise<string[]> {
  return (await server.names()).filter((name) => name.startsWith('hortus-volume-'));
}
