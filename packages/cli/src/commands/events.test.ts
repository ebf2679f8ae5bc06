import { afterEach, beforeEach, expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { run } from '../run.ts';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: ScriptedService;
beforeEach(async () => {
  service = await startScriptedService();
});
afterEach(() => service.stop());

const event = (seq: number) => ({
  id: `evt_${String(seq).padStart(26, '0')}`,
  seq,
  type: 'deployment.success',
  account_id: 'acc_00000000000000000000000001',
  resource_type: 'deployment',
  resource_id: 'dep_00000000000000000000000001',
  created_at: '2030-01-01T12:00:00.000Z',
  actor: null,
  data: {},
});

test('--follow polls a service that does not stream', async () => {
  let newest = 1;
  service.on('events.list', ({ query }) => {
    const from = Number(query.after ?? newest - 1);
    const data = Array.from({ length: newest - from }, (_, n) => event(from + 1 + n));
    return { success: true, data, pagination: { page: 1, per_page: 100, total: data.length, total_pages: 1 } };
  });
  const terminal = scriptedTerminal([], { interactive: false });
  const world = {
    ...scriptedWorld(terminal, { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' }),
    pause: async () => {
      if (newest === 4) throw new Failure('interrupted', 'Enough.');
      newest++;
    },
  };
  expect(await run(['events', '-f', '--json'], world)).toBe(130);
  const lines = terminal.printed.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3, 4]);
  expect(terminal.noted).toContain('no stream');
});

test('filters are passed on, and --after must be a number', async () => {
  service.list('events.list', []);
  const terminal = scriptedTerminal([], { interactive: false });
  const world = scriptedWorld(terminal, { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' });
  await run(['events', '--type', 'audit.*', '--of', 'dep_1', '--of-type', 'deployment'], world);
  expect(service.asked[0]?.query).toMatchObject({ type: 'audit.*', resource_id: 'dep_1', resource_type: 'deployment' });
  expect(await run(['events', '-f', '--after', 'yesterday'], world)).toBe(2);
});
