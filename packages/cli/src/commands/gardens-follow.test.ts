import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { garden, source } from '../testing/garden-records.ts';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: ScriptedService;
let folder: TemporaryFolder;
const webhook = { url: source().webhook_url, secret: 'a-secret-of-the-webhook' };
const url = 'https://git.example.org/ada/home.git';

beforeEach(async () => {
  service = await startScriptedService();
  folder = temporaryFolder('follow');
  service.list('gardens.list', [garden()]);
  service.on('gardens.follow', () => ({ success: true, data: { ...garden(), webhook } }));
  service.on('gardens.update', () => ({ success: true, data: { ...garden(), webhook } }));
});
afterEach(async () => {
  await folder.remove();
  await service.stop();
});

async function hortus(argv: string[], { replies = [] as string[], env = {}, input = '' } = {}) {
  const terminal = scriptedTerminal(replies, {
    interactive: replies.length > 0,
    readInput: async () => input,
    width: 200,
  });
  const world = scriptedWorld(terminal, { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1', ...env });
  const code = await run(['gardens', ...argv], world);
  return { code, out: terminal.printed, err: terminal.noted, questions: terminal.questions };
}
const sent = () => service.asked.at(-1)?.body;

test('follow asks for the token without echo, and prints once what to enter at the forge', async () => {
  const followed = await hortus(['follow', url], { replies: ['a-token'] });
  expect(followed.code).toBe(0);
  expect(followed.questions).toEqual(['Access token for git.example.org, empty if it is public (not shown): <hidden>']);
  expect(sent()).toEqual({ url, mode: 'propose', credentials: { token: 'a-token' } });
  expect(followed.out).toContain(`home follows main of ${url}. Each commit waits for an approval`);
  expect(followed.out).toMatch(/Where +Settings > Webhooks > Add webhook > Forgejo\n/);
  expect(followed.out).toMatch(/Target URL +https:\/\/hortus\.example\.org\/api\/v1\/gardens\/gdn_\w+\/push\n/);
  expect(followed.out).toMatch(/Secret +a-secret-of-the-webhook\n/);
  expect(followed.out).toMatch(/POST content type +application\/json\n/);
  expect(followed.out).not.toContain('a-token');
});

test('the token comes from a file, a pipe or a variable, and a public repository needs none', async () => {
  const file = join(folder.path, 'token');
  writeFileSync(file, 'from-a-file\n');
  await hortus(['follow', url, '--token-file', file, '--username', 'ada']);
  expect(sent()).toMatchObject({ credentials: { token: 'from-a-file', username: 'ada' } });
  await hortus(['follow', url, '--token-file', '-'], { input: 'from-a-pipe\n' });
  expect(sent()).toMatchObject({ credentials: { token: 'from-a-pipe' } });
  await hortus(['follow', url], { env: { HORTUS_GIT_TOKEN: 'from-a-variable' } });
  expect(sent()).toMatchObject({ credentials: { token: 'from-a-variable' } });
  await hortus(['follow', url]);
  expect(sent()).toEqual({ url, mode: 'propose' });
  await hortus(['follow', url], { replies: [''] });
  expect(sent()).toEqual({ url, mode: 'propose' });
  expect(await hortus(['follow', url, '--username', 'ada'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--username needs a token'),
  });
  expect(await hortus(['follow', url, '--token', 'x'])).toMatchObject({ code: 2 });
});

test('every option is sent, and wrong ones are refused before anything is asked', async () => {
  const overrides = ['--branch', 'live', '--path', 'ops/home.yaml', '--mode', 'apply', '--provider', 'gitlab'];
  const followed = await hortus([
    'follow',
    url,
    ...overrides,
    '--interval',
    '10m',
    '--name',
    'home',
    '--prune',
    '--json',
  ]);
  expect(sent()).toEqual({
    ...{ url, branch: 'live', path: 'ops/home.yaml', mode: 'apply', provider: 'gitlab' },
    ...{ interval: 600, name: 'home', prune: true },
  });
  expect(JSON.parse(followed.out)).toMatchObject({ name: 'home', webhook });
  for (const wrong of [
    ['--mode', 'maybe'],
    ['--provider', 'cvs'],
    ['--interval', 'often'],
  ])
    expect(await hortus(['follow', url, ...wrong], { replies: ['a-token'] })).toMatchObject({ code: 2, questions: [] });
});

test('edit sends only what is given, replaces or removes the token, and rotates the secret', async () => {
  const edit = (...argv: string[]) => hortus(['edit', 'home', ...argv], { env: { HORTUS_GIT_TOKEN: 'a-new-token' } });
  const changed = await edit('--mode', 'apply', '--no-prune');
  expect(changed).toMatchObject({ code: 0, out: expect.stringContaining('home is changed.') });
  expect(sent()).toEqual({ mode: 'apply', prune: false });
  await edit('--new-token');
  expect(sent()).toEqual({ credentials: { token: 'a-new-token' } });
  await edit('--no-token');
  expect(sent()).toEqual({ credentials: null });
  const rotated = await edit('--rotate-secret');
  expect(sent()).toEqual({ rotate_secret: true });
  expect(rotated.out).toContain(webhook.secret);
  for (const wrong of [[], ['--prune', '--no-prune'], ['--new-token', '--no-token'], ['--username', 'ada']])
    expect(await edit(...wrong)).toMatchObject({ code: 2 });
  service.list('gardens.list', [garden({ source: null })]);
  expect(await edit('--mode', 'apply')).toMatchObject({
    code: 6,
    err: expect.stringContaining('hortus gardens follow'),
  });
  expect(await hortus(['edit', 'hom', '--mode', 'apply'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('home'),
  });
});
