import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@hortus/client/client';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { type RealService, startRealService } from '../testing/real-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: RealService;
let client: Client;
let folder: TemporaryFolder;
beforeAll(async () => {
  service = await startRealService();
  client = createClient({ baseUrl: `${service.address}/api/v1`, key: service.key });
  await client.call('servers.register', { body: { name: 'attic', environment: 'staging' } });
}, 200_000);
afterAll(() => service?.stop());
beforeEach(() => {
  folder = temporaryFolder('garden');
});
afterEach(() => folder.remove());

const file = () => join(folder.path, 'garden.yaml');
const write = (text: string) => writeFileSync(file(), text);

async function hortus(argv: string[], env: Record<string, string> = {}, replies: string[] = []) {
  const terminal = scriptedTerminal(replies, { interactive: replies.length > 0, width: 120 });
  const world = scriptedWorld(terminal, { HORTUS_URL: `${service.address}/api/v1`, HORTUS_KEY: service.key, ...env });
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 20)));
  const code = await run(argv, { ...world, now: Date.now, pause });
  return { code, out: terminal.printed, err: terminal.noted };
}

/** Lets pending deployments end as a daemon would, until the work is done. */
async function whileDeploying<T>(work: Promise<T>, end: 'success' | 'failed' = 'success'): Promise<T> {
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  while (!over) {
    const { data } = await client.call('deployments.list', { query: { status: 'pending' } });
    for (const { id } of data)
      await client.call('deployments.status', { params: { id }, body: { status: end, error: 'no such image' } });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return await ended;
}

const site = (uid: string, more = '') => `  ${uid}:
    species: static-site
    server: attic
    inputs: {WEB_HOSTNAME: ${uid}.example.org${more}}
`;

test('diff shows each field and exits with 2, apply makes it so, and a second diff exits with 0', async () => {
  write(`name: home\ndefinitions:\n${site('landing')}${site('shop')}`);
  const before = await hortus(['diff', '-f', file()]);
  expect(before.code).toBe(2);
  expect(before.out).toContain('+ definition landing\n');
  expect(before.out).toMatch(/inputs\.WEB_HOSTNAME +landing\.example\.org/);
  expect(before.out).toMatch(/2 to create\.\n$/);

  const applied = await whileDeploying(hortus(['apply', '-f', file(), '--wait', '--yes']));
  expect(applied).toMatchObject({ code: 0, out: 'home is as the file says: 2 changes done.\n' });
  expect(applied.err).toContain('definition landing done');

  expect(await hortus(['diff', '-f', file()])).toMatchObject({ code: 0, out: '2 unchanged.\n' });
  expect((await hortus(['apply', '-f', file()])).out).toBe('Nothing to do: 2 unchanged.\n');

  write(`name: home\ndefinitions:\n${site('landing', ', PAGE_TITLE: Soon')}`);
  const pruning = await hortus(['diff', '-f', file(), '--prune', '--json']);
  expect(JSON.parse(pruning.out).counts).toMatchObject({ update: 1, archive: 1 });
  const declined = await hortus(['apply', '-f', file(), '--prune'], {}, ['n']);
  expect(declined.err).toContain('Nothing was changed.');
  const pruned = await whileDeploying(hortus(['apply', '-f', file(), '--prune', '--wait', '--json']));
  expect(JSON.parse(pruned.out)).toMatchObject({ status: 'succeeded', done: 2 });
  expect((await hortus(['gardens', 'list'])).out).toMatch(/home +1 +. succeeded/);
  const exported = await hortus(['export', 'garden', '--name', 'home']);
  expect(exported.out).toContain('PAGE_TITLE: Soon');
  write(exported.out);
  expect(await hortus(['diff', '-f', file()])).toMatchObject({ code: 0 });
  expect((await hortus(['gardens', 'forget', 'home', '--yes'])).out).toBe('home is forgotten; what it made stays.\n');
});

test('values come from variables and files beside the garden, and are not shown', async () => {
  mkdirSync(join(folder.path, 'secrets'));
  writeFileSync(join(folder.path, 'secrets/token'), 'from-a-file\n');
  write(`name: registries
registries:
  one.example.org: {username: gardener, password: "\${env.GARDEN_TOKEN}"}
  two.example.org: {username: gardener, password: "\${file:secrets/token}"}
`);
  const unset = await hortus(['diff', '-f', file()]);
  expect(unset.code).toBe(6);
  expect(unset.err).toContain('The environment variable GARDEN_TOKEN is not set.');
  const env = { GARDEN_TOKEN: 'from-a-variable' };
  const shown = await hortus(['diff', '-f', file()], env);
  expect(shown.code).toBe(2);
  expect(shown.out).toMatch(/password +\(set, not shown\)/);
  expect(shown.out).not.toMatch(/from-a-(file|variable)/);
  expect(await hortus(['apply', '-f', file(), '--wait', '--yes'], env)).toMatchObject({ code: 0 });
  expect(await hortus(['diff', '-f', file()], env)).toMatchObject({ code: 0 });
});

test('a garden of another author cannot read files outside its folder, also not by a link', async () => {
  const outside = join(folder.path, 'private.key');
  writeFileSync(outside, 'a private key');
  const inner = join(folder.path, 'theirs');
  mkdirSync(inner);
  symlinkSync(outside, join(inner, 'linked'));
  symlinkSync(folder.path, join(inner, 'up'));
  const garden = join(inner, 'garden.yaml');
  const diff = (...more: string[]) => hortus(['diff', '-f', garden, ...more]);
  for (const named of ['../private.key', outside, 'linked', 'up/private.key']) {
    for (const text of [
      `name: lure\nregistries: {lure.example.org: {username: me, password: "\${file:${named}}"}}\n`,
      `name: lure\ntemplates: [${named}]\n`,
    ]) {
      writeFileSync(garden, text);
      const { code, err } = await diff();
      expect([code, err]).toEqual([6, expect.stringContaining(`${named} is outside the folder of the garden.`)]);
    }
  }
  writeFileSync(garden, 'name: lure\nregistries: {lure.example.org: {username: me, password: "${file:linked}"}}\n');
  expect((await diff('--allow-outside')).code).toBe(2);
  symlinkSync(join(inner, 'garden.yaml'), join(inner, 'inner-link'));
  writeFileSync(garden, 'name: lure\nregistries: {lure.example.org: {username: me, password: "${file:inner-link}"}}\n');
  expect((await diff()).code).toBe(2);
});

test('a failure is reported with the item, and the command says how to go on', async () => {
  write(`name: broken\ndefinitions:\n${site('broken')}`);
  const failed = await whileDeploying(hortus(['apply', '-f', file(), '--wait', '--yes']), 'failed');
  expect(failed.code).toBe(1);
  expect(failed.out).toContain('definition broken: no such image');
  expect(failed.out).toContain('run the command again');
});

test('mistakes in the file are shown with line and column, all at once', async () => {
  write('name: home\ndefinitions:\n  blog:\n    speces: inkwell\n    server: 5\n');
  const wrong = await hortus(['diff', '-f', file()]);
  expect(wrong.code).toBe(6);
  expect(wrong.err).toContain(`${file()}:4:5: unknown key "speces"; did you mean "species"?`);
  expect(wrong.err).toContain(`${file()}:5:13: must be a string, not 5`);
  expect((await hortus(['diff', '-f', join(folder.path, 'nothing.yaml')])).code).toBe(4);
});

test('a reference to a device without an end is refused', async () => {
  write('name: home\nregistries: {registry.example.org: {username: me, password: "${file:/dev/zero}"}}\n');
  const { code, err } = await hortus(['diff', '-f', file(), '--allow-outside']);
  expect(code).not.toBe(0);
  expect(err).toContain('/dev/zero cannot be read: it is larger than 4194304 bytes.');
});
