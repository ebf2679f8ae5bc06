import { randomBytes } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { HELLO_IMAGE } from '@hortus/template/notation/made-images';
import { askDocker } from '@hortus/testkit/docker-request';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import { component } from '../plan/testing/manifests.ts';
import { TestServer } from '../rollout/testing/server.ts';
import { helloContent } from './hello.ts';
import { imageArchive } from './image-archive.ts';
import { makeImage } from './make-image.ts';
import { librariesIn, placesOf, programFolders } from './program.ts';

const busyboxRef = `hortus-test/hello-busybox-${randomBytes(4).toString('hex')}:1`;
const caddyRef = `hortus-test/hello-caddy-${randomBytes(4).toString('hex')}:1`;
const folder = temporaryFolder('hello');
const arch = process.arch === 'x64' ? 'amd64' : process.arch;

let server: TestServer;
/** The engine of the run, without a registry: a pull fails. */
let offline: Engine;
beforeAll(async () => {
  server = await TestServer.open();
  offline = { ...server.engine, pull: () => Promise.reject(new Error('nothing may be pulled')) };
  for (const [ref, program] of [
    [busyboxRef, 'busybox'],
    [caddyRef, 'caddy'],
  ] as const) {
    const content = (await helloContent([onlyWith(program)])) ?? expect.fail(`no ${program}`);
    await server.engine.loadImages(await imageArchive(ref, arch, content));
  }
}, 120_000);
afterAll(async () => {
  await server.close();
  for (const ref of [busyboxRef, caddyRef]) await askDocker(server.socketPath, 'DELETE', `/images/${ref}?force=true`);
  await folder.remove();
});

/** A folder with a single program of this machine. */
function onlyWith(name: string): string {
  const place = placesOf(name, programFolders()).find((path) => path.startsWith('/usr/bin/')) ?? '';
  symlinkSync(place, join(folder.path, name));
  return folder.path;
}

const greeting = `It's "<b>1 & 2</b>" $HOME \`id\` \\n {{env "PATH"}} </title><script>alert(1)</script>`;
const env = { GREETING: greeting, INSTANCE: '<i>one</i>', TEMPLATE: 'Hello 1.0.0' };
const page = (image: string) => component('main', { image, env });

async function read(uid: string, path: string): Promise<string> {
  const { networks } = (await server.engine.inspect(uid)) ?? expect.fail('no container');
  const url = `http://${networks[0]?.address}:8080${path}`;
  const response = async () => {
    const page = await fetch(url).catch(() => undefined);
    return page && { text: await page.text() };
  };
  return (await until(response, { describe: `${url} to answer` })).text;
}

describe.each([
  ['busybox', busyboxRef],
  ['Caddy', caddyRef],
])('made of %s', (_, image) => {
  it('shows its inputs as text, whatever they contain, and stops when asked', async () => {
    const uid = server.newUid();
    expect(await server.deploy(uid, [page(image)], { engine: offline })).toMatchObject({ status: 'success' });
    const html = await read(uid, '/');
    expect(html).toContain('The deployment works');
    expect(html).not.toMatch(/<script|<b>|<i>/);
    expect(html).toContain('&lt;b&gt;1 &amp; 2&lt;/b&gt;');
    expect(html).toMatch(/\$HOME `id` \\n \{\{env (&quot;|&#34;)PATH(&quot;|&#34;)\}\}/);
    expect(html).toContain('&lt;i&gt;one&lt;/i&gt;');
    expect(await read(uid, '/greeting.txt')).toBe(greeting);
    expect(await read(uid, '/healthz')).toBe('ok\n');
    await server.engine.stop(uid, 60_000);
    expect((await server.engine.inspect(uid))?.exitCode).toBe(0);
  });
});

describe('the reserved image', () => {
  it('is made on the server, never pulled, and has no digest', async () => {
    const uid = server.newUid();
    const result = await server.deploy(uid, [page(HELLO_IMAGE)], { engine: offline });
    expect(result).toMatchObject({
      status: 'success',
      images: [{ component: 'main', image: HELLO_IMAGE, digest: null }],
    });
    const { Id: container } = await server.inspect(uid);
    const again = await server.deploy(uid, [page(HELLO_IMAGE)], { engine: offline, renew: true });
    expect(again).toMatchObject({ status: 'success' });
    expect(server.log.map(({ message }) => message).join('\n')).toMatch(
      /Made hortus\.invalid\/hello:1 from \S+busybox/,
    );
    // Equal programs give an equal image, so that a renewal replaces nothing.
    expect((await server.inspect(uid)).Id).toBe(container);
  });

  it('cannot be made without busybox and Caddy; the error names the package', async () => {
    const without = { ...offline, image: async () => undefined };
    await expect(makeImage(without, HELLO_IMAGE, { folders: ['/nowhere'] })).rejects.toThrow(
      'this server has neither. Run as root, then deploy again: apt-get install busybox-static',
    );
    // What is there already is not lost with the program that it was made of.
    expect(await makeImage(offline, HELLO_IMAGE, { folders: ['/nowhere'], again: true })).toHaveProperty('id');
  });

  it('is refused for an engine of another platform', async () => {
    const platform = async () => ({ os: 'linux', arch: 's390x' });
    const foreign = { ...offline, platform, image: async () => undefined };
    await expect(makeImage(foreign, HELLO_IMAGE)).rejects.toThrow(
      /a program for linux\/\w+, but the engine runs linux\/s390x/,
    );
  });

  it.each(['hortus.invalid/other:1', `${HELLO_IMAGE}@sha256:${'a'.repeat(64)}`, 'hortus.invalid/hello:2'])(
    'has no relatives: a deployment of %s fails with that reason',
    async (image) => {
      const result = await server.deploy(server.newUid(), [page(image)], { engine: offline });
      expect(result).toMatchObject({ status: 'failed', reason: 'image' });
      expect(result.error).toContain(`${image} has a reserved name`);
    },
  );
});

it('reads the libraries of a program from the words of ldd', () => {
  const listing =
    '\tlinux-vdso.so.1 (0x7f)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x7f)\n\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n';
  expect(librariesIn(listing)).toEqual(['/lib/x86_64-linux-gnu/libc.so.6', '/lib64/ld-linux-x86-64.so.2']);
  expect(librariesIn('\tstatically linked\n')).toEqual([]);
  expect(librariesIn('\tlibzstd.so.1 => not found\n')).toBeUndefined();
});
