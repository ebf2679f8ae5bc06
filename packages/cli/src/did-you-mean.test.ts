import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from './run.ts';
import * as records from './testing/records.ts';
import { Refusal, type ScriptedService, startScriptedService } from './testing/scripted-service.ts';
import { scriptedTerminal, scriptedWorld } from './testing/scripted-terminal.ts';

let service: ScriptedService;
beforeEach(async () => {
  service = await startScriptedService();
});
afterEach(() => service.stop());

async function hortus(...argv: string[]) {
  const terminal = scriptedTerminal([], { interactive: false });
  const code = await run(argv, scriptedWorld(terminal, { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' }));
  return { code, noted: terminal.noted };
}

test.each([
  [['instnaces'], 'Did you mean instances?'],
  [['deplyo', 'reader'], 'Did you mean deploy?'],
  [['instances', 'shwo', 'x'], 'Did you mean instances show?'],
  [['notifications', 'rules', 'ad'], 'Did you mean notifications rules add?'],
  [['instnaces', 'list'], 'Did you mean instances list?'],
  [['help', 'deplyo'], 'Did you mean deploy?'],
  [['deploy', 'reader', '--wiat'], 'Did you mean --wait?'],
])('%j is answered with the command or option that was probably meant', async (argv, words) => {
  const { code, noted } = await hortus(...argv);
  expect(code).toBe(2);
  expect(noted).toContain(words);
});

test('a misspelt instance, server, definition or species is answered with the name that exists', async () => {
  service.list('instances.list', [records.instance(), records.instance({ instance_uid: 'other', status: 'released' })]);
  service.list('servers.list', [records.server()]);
  service.list('definitions.list', [records.definition()]);
  service.list(
    'templates.list',
    [records.template()].map(({ spec: _spec, ...item }) => item),
  );
  service.on('templates.read', () => {
    throw new Refusal('NOT_FOUND', 'There is no template raeder.');
  });
  const missing = (name: string) => ({ code: 4, noted: expect.stringContaining(`Did you mean ${name}?`) });
  expect(await hortus('instances', 'show', 'fedes')).toMatchObject(missing('feeds'));
  expect(await hortus('servers', 'show', 'web1')).toMatchObject(missing('web-1'));
  expect(await hortus('definitions', 'show', 'feed')).toMatchObject(missing('feeds'));
  expect(await hortus('catalog', 'show', 'raeder')).toMatchObject(missing('reader'));
  expect((await hortus('instances', 'show', 'othre')).noted).not.toContain('Did you mean');
  expect((await hortus('servers', 'show', 'database')).noted).not.toContain('Did you mean');
});
