import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import * as records from '../testing/records.ts';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: ScriptedService;
beforeEach(async () => {
  service = await startScriptedService();
});
afterEach(() => service.stop());

async function open(
  instance: Parameters<typeof records.instance>[0],
  { argv = [], env = { DISPLAY: ':0' }, exists = true }: { argv?: string[]; env?: object; exists?: boolean } = {},
) {
  service.list('instances.list', [records.instance(instance)]);
  const started: unknown[] = [];
  const terminal = scriptedTerminal([], { interactive: false });
  const world = scriptedWorld(terminal, { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1', ...env });
  const start = async (...call: unknown[]) => {
    started.push(call);
    return exists;
  };
  const code = await run(['open', 'feeds', ...argv], { ...world, programs: { ...world.programs, start } });
  return { code, started, printed: terminal.printed, noted: terminal.noted };
}
const url = 'https://feeds.example.org';

test('open starts the browser of the desktop', async () => {
  expect(await open({})).toMatchObject({
    code: 0,
    started: [['xdg-open', [url]]],
    printed: `Opened ${url}\n`,
  });
});

test('open prints the address without a desktop, without xdg-open, and with --print', async () => {
  expect(await open({}, { env: {} })).toMatchObject({ started: [], printed: `${url}\n` });
  expect(await open({}, { exists: false })).toMatchObject({ printed: `${url}\n` });
  expect(await open({}, { argv: ['--print'] })).toMatchObject({ started: [], printed: `${url}\n` });
  expect(await open({}, { argv: ['-o', 'url'] })).toMatchObject({ started: [], printed: `${url}\n` });
});

test('open says why there is nothing to open or why it may not answer', async () => {
  expect(await open({ url: null })).toMatchObject({ code: 1, noted: expect.stringContaining('declares no route') });
  expect((await open({ status: 'stopped' })).noted).toBe('feeds is stopped; it may not answer.\n');
  expect((await open({ health: 'unhealthy' })).noted).toBe('feeds is unhealthy; it may not answer.\n');
});

test('an address that is not of the web starts no program', async () => {
  expect((await open({ url: 'file:///etc/passwd' })).started).toEqual([]);
});
