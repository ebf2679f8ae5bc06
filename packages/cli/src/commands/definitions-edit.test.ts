import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hortusInTerminal } from '@hortus/testkit/pseudo-terminal';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import * as records from '../testing/records.ts';
import { Refusal, type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: ScriptedService;
beforeEach(async () => {
  service = await startScriptedService();
  service.list('definitions.list', [records.definition()]);
  service.on('definitions.update', () => ({ success: true, data: records.definition({ current_revision: 4 }) }));
});
afterEach(() => service.stop());

const env = () => ({ HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' });
const updates = () => service.asked.filter(({ name }) => name === 'definitions.update').map(({ body }) => body);

/** Edits with a program that applies one step at each start; texts shows what it was given. */
async function edit(...steps: ((text: string) => string | number | undefined)[]) {
  const texts: string[] = [];
  const files: string[] = [];
  const terminal = scriptedTerminal([], { interactive: false });
  const world = scriptedWorld(terminal, { ...env(), EDITOR: 'my-editor --wait' });
  const edited = async (program: string, args: readonly string[]) => {
    const [flag, file = ''] = args;
    expect([program, flag]).toEqual(['my-editor', '--wait']);
    const text = readFileSync(file, 'utf8');
    texts.push(text);
    files.push(file);
    expect(statSync(file).mode & 0o077).toBe(0);
    const made = steps[texts.length - 1]?.(text);
    if (typeof made === 'string') writeFileSync(file, made);
    return typeof made === 'number' ? made : 0;
  };
  const argv = ['definitions', 'edit', 'feeds'];
  const code = await run(argv, { ...world, programs: { ...world.programs, run: edited } });
  return { code, texts, file: files[0] ?? '', printed: terminal.printed, noted: terminal.noted };
}

test('only what differs is sent; a removed input gets its default; secrets are never in the text', async () => {
  const { code, texts, printed, file } = await edit((text) =>
    text
      .replace('profile: development', 'profile: production')
      .replace('schedule: off', 'schedule: daily')
      .replace('  WEB_HOSTNAME: feeds.example.org', '  MODE: mail\n  COUNT: 3'),
  );
  expect(code).toBe(0);
  expect(texts[0]).toContain('# Set and not shown: ADMIN_PASSWORD.');
  expect(texts[0]).not.toMatch(/^[^#]*ADMIN_PASSWORD/m);
  const [body] = updates() as [Record<string, unknown>];
  expect(body).toMatchObject({ profile: 'production', inputs: { MODE: 'mail', COUNT: 3, WEB_HOSTNAME: null } });
  expect(Object.keys(body).sort()).toEqual(['backup', 'inputs', 'profile']);
  expect(printed).toContain('Revision 4 of feeds is current.');
  expect(existsSync(dirname(file))).toBe(false);
});

test.each([
  ['an unchanged file', () => undefined],
  ['other comments and order', (text: string) => `# mine\n${text}`],
  ['an emptied file', () => '\n'],
])('%s changes nothing', async (_what, step) => {
  expect(await edit(step)).toMatchObject({ code: 0, noted: 'Nothing was changed.\n', printed: '' });
  expect(updates()).toEqual([]);
});

test('a mistake opens the editor again with the reason, also one that only the service finds', async () => {
  service.on('definitions.update', ({ body }) => {
    if ((body as { profile?: string }).profile === 'huge')
      throw new Refusal('VALIDATION_ERROR', 'profile: is not one of the template.');
    return { success: true, data: records.definition({ current_revision: 4 }) };
  });
  const { code, texts } = await edit(
    (text) => text.replace('profile: ', 'profil: '),
    (text) => text.replace('profil: development', 'profile: [x'),
    (text) => text.replace('profile: [x', 'profile: huge'),
    (text) => text.replace('huge', 'minimal'),
  );
  expect(code).toBe(0);
  const reasons = texts.map((text) => text.split('\n').filter((line) => line.startsWith('# Error: ')));
  expect(reasons).toEqual([
    [],
    ['# Error: profil: is not a field; did you mean profile?'],
    [expect.stringMatching(/^# Error: line \d+: /)],
    ['# Error: profile: is not one of the template.'],
  ]);
  expect(updates().at(-1)).toEqual({ profile: 'minimal' });
});

test('a name of a hostile service cannot lead out of the folder of the file', async () => {
  const hostile = records.definition({ instance_uid: '../../feeds' });
  service.on('definitions.read', () => ({ success: true, data: hostile }));
  const world = scriptedWorld(scriptedTerminal([], { interactive: false }), env());
  let file = '';
  const edited = async (_program: string, args: readonly string[]) => {
    file = args.at(-1) ?? '';
    return 0;
  };
  await run(['definitions', 'edit', hostile.id], { ...world, programs: { ...world.programs, run: edited } });
  expect(file).toMatch(/hortus-\w+\/feeds\.yaml$/);
});

test('closing the editor at an error without a change gives up', async () => {
  const { code, noted, texts, file } = await edit((text) => `${text}\ncolour: red\n`);
  expect(code).toBe(6);
  expect(texts).toHaveLength(2);
  expect(noted).toContain('Nothing was changed.');
  expect(updates()).toEqual([]);
  expect(existsSync(dirname(file))).toBe(false);
});

test('the text is kept if the service cannot be asked', async () => {
  service.on('definitions.update', () => {
    throw new Refusal('FORBIDDEN', 'The key lacks definitions:write.');
  });
  const { code, noted, file } = await edit((text) => text.replace('heal: false', 'heal: true'));
  expect(code).toBe(3);
  expect(noted).toContain(`Your text is kept in ${file}.`);
  expect(readFileSync(file, 'utf8')).toContain('heal: true');
  await rm(dirname(file), { recursive: true });
});

test('an editor that fails changes nothing, and a missing one is named', async () => {
  expect(await edit(() => 1)).toMatchObject({ code: 1, noted: 'The editor ended with 1. Nothing was changed.\n' });
  const terminal = scriptedTerminal([], { interactive: false });
  expect(await run(['definitions', 'edit', 'feeds'], scriptedWorld(terminal, { ...env(), EDITOR: 'no-editor' }))).toBe(
    2,
  );
  expect(terminal.noted).toContain('The editor no-editor was not found.');
});

test('a definition is edited in a real editor in a terminal', { timeout: 120_000 }, async () => {
  await using home = temporaryFolder('edit');
  const variables = { ...env(), HOME: home.path, EDITOR: 'busybox vi' };
  const terminal = hortusInTerminal(['definitions', 'edit', 'feeds'], variables);
  await terminal.shows('WEB_HOSTNAME');
  terminal.type(':%s/development/production/\r');
  await terminal.shows('production');
  terminal.type(':wq\r');
  expect(await terminal.code).toBe(0);
  expect(terminal.text()).toContain('Revision 4 of feeds is current.');
  expect(updates()).toEqual([{ profile: 'production' }]);
});
