import { createClient } from '@hortus/client/client';
import { writeAgent } from '@hortus/testkit/agent-folder';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { UpdateDaemon } from '@hortus/testkit/update-daemon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../run.ts';
import { type RealService, startRealService } from '../testing/real-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: RealService;
let owner: { base: string; client: ReturnType<typeof createClient> };

beforeAll(async () => {
  const agents = temporaryFolder();
  afterAll(() => agents.remove());
  service = await startRealService({ HORTUS_AGENTS_DIR: await writeAgent(agents.path) });
  const base = `${service.address}/api/v1`;
  owner = { base, client: createClient({ baseUrl: base, key: service.key }) };
}, 200_000);
afterAll(() => service?.stop());

/** Runs a command as a script does, or as a person who gives these answers. */
async function hortus(argv: readonly string[], replies?: string[]) {
  const terminal = scriptedTerminal(replies ?? [], { interactive: replies !== undefined, width: 400 });
  const world = scriptedWorld(terminal, { HORTUS_URL: owner.base, HORTUS_KEY: service.key });
  const code = await run(argv, { ...world, now: Date.now });
  return { code, out: terminal.printed, err: terminal.noted };
}

const updates = async () => (await owner.client.call('daemon-updates.list', {})).data;

test('daemons are updated by name, by label in stages, and a halted update is continued or cancelled', async () => {
  expect((await hortus(['servers', 'updates'])).out).toMatch(/^No daemon was updated yet/);
  const [a, b, c] = [
    await UpdateDaemon.connected(owner, 'a', { environment: 'development' }),
    await UpdateDaemon.connected(owner, 'b'),
    await UpdateDaemon.connected(owner, 'c', { environment: 'production' }),
  ];
  await UpdateDaemon.connected(owner, 'current', { version: '1.2.3', labels: { site: 'berlin' } });
  expect((await hortus(['servers', 'list'])).out).toMatch(
    / b +online +staging +1\.0\.0 \(1\.2\.3 available\) |b +online/,
  );
  for (const { name } of [b, c])
    expect((await hortus(['servers', 'label', name, 'site=berlin'])).out).toBe(`${name}: site=berlin\n`);

  // One server, waited for.
  const server = hortus(['servers', 'update', 'a', '--wait']);
  await a.succeed();
  const done = await server;
  expect(done).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The update to 1\.2\.3 is completed: 1 of 1 done\./),
  });
  expect(done.err).toContain('  a done\n');

  // By label, in stages: the first failure halts the rest.
  const labelled = hortus(['servers', 'update', '--label', 'site=berlin', '--stages', '1,100%', '--wait']);
  await b.report('returned', { reason: 'unhealthy', message: 'It did not \u001b[31mconnect.' });
  const halted = await labelled;
  expect(halted.code).toBe(1);
  expect(halted.err).toContain('Left out:\n  The daemon of current runs 1.2.3 already.\n');
  expect(halted.out).toMatch(/is halted in stage 1 of 2: 0 of 2 done, 1 failed\. b \(returned\): It did not/);
  expect(halted.out).not.toContain('\u001b[31m');
  const [{ id } = { id: '' }] = await updates();
  expect(halted.out).toContain(`hortus servers updates continue ${id}`);
  expect((await hortus(['servers', 'updates', 'continue', id])).out).toContain('is in stage 1 of 2');
  await c.order();
  expect((await hortus(['servers', 'updates', 'cancel', id])).out).toContain('was cancelled: 0 of 2 done, 1 failed.');
  await c.report('done');
  await until(async () => (await updates())[0]?.stages[1]?.done === 1, { describe: 'the result of c' });
  const shown = await hortus(['servers', 'updates', id]);
  expect(shown.out).toMatch(/2 +c +production +1\.0\.0 +done/);
  expect((await hortus(['servers', 'updates'])).out).toMatch(/1\.2\.3 +cancelled +2 of 2 +1 of 2 done, 1 failed/);
  const json = await hortus(['servers', 'updates', id, '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ id, status: 'cancelled', targets: [{ status: 'returned' }, {}] });

  await Promise.all([a, b, c].map((daemon) => daemon.disconnect()));
});

test('an update needs a choice of servers and, from a person, an agreement', async () => {
  const daemon = await UpdateDaemon.connected(owner, 'attic');
  for (const argv of [
    ['servers', 'update'],
    ['servers', 'update', 'attic', '--all'],
    ['servers', 'update', 'attic', '--max-failed', 'two'],
    ['servers', 'update', 'attic', '--offline', '5s'],
  ])
    expect((await hortus(argv)).code, argv.join(' ')).toBe(2);
  const refused = await hortus(['servers', 'update', 'attic', '--version', '9.9.9']);
  expect(refused).toMatchObject({ code: 6, err: expect.stringContaining('there is no signed daemon 9.9.9 here') });
  expect((await hortus(['servers', 'update', 'nowhere'])).code).toBe(4);
  const before = (await updates()).length;
  const declined = await hortus(['servers', 'update', 'attic'], ['n']);
  expect(declined).toMatchObject({ code: 0, err: expect.stringContaining('Nothing was ordered.') });
  expect(await updates()).toHaveLength(before);
  const agreed = await hortus(['servers', 'update', 'attic', '--stages', '1', '--offline', '2h', '--json'], ['y']);
  expect(JSON.parse(agreed.out)).toMatchObject({ status: 'running', offline_minutes: 120, version: '1.2.3' });
  await daemon.succeed();
  await until(async () => (await updates())[0]?.status === 'completed', { describe: 'the end of the update' });
  await daemon.disconnect();
});

test('labels are set and removed, and shown with the server', async () => {
  await hortus(['servers', 'register', 'cellar', '--label', 'site=berlin', '--label', 'rack=4']);
  expect((await hortus(['servers', 'label', 'cellar'])).out).toBe('cellar: rack=4, site=berlin\n');
  expect((await hortus(['servers', 'label', 'cellar', 'rack-', 'floor=0'])).out).toBe('cellar: floor=0, site=berlin\n');
  expect((await hortus(['servers', 'show', 'cellar'])).out).toMatch(/Labels +floor=0, site=berlin/);
  expect((await hortus(['servers', 'label', 'cellar', 'Big=x'])).code).toBe(6);
  expect((await hortus(['servers', 'label', 'cellar', 'nonsense'])).code).toBe(2);
});
