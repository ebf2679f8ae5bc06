import type { EvacuationDetail } from '@hortus/contract/resources/evacuations';
import type { ContainerLine } from '@hortus/contract/resources/logs';
import { startProcess } from '@hortus/testkit/process';
import { cliMain } from '@hortus/testkit/programs';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { environment, hortusHere } from '../testing/hortus.ts';
import * as records from '../testing/records.ts';
import { Refusal, type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';
import { describeIdentity } from './servers-identity.ts';

let service: ScriptedService;
let home: TemporaryFolder;

beforeEach(async () => {
  service = await startScriptedService();
  home = temporaryFolder('cli');
  service.list('servers.list', [records.server()]);
  service.list('instances.list', [records.instance()]);
  service.on('instances.read', () => ({ success: true, data: records.instance() }));
  service.on('metrics.instance', () => ({ success: true, data: records.instanceMetrics() }));
  service.on('capacity.history', () => ({ success: true, data: records.capacityHistory() }));
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const run = (...argv: string[]) =>
  hortusHere(home.path, argv, { env: { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' } });

function playActions(...actions: ReturnType<typeof records.action>[]): void {
  const backup = {
    strategy: 'both' as const,
    volumes: [{ name: 'dbdata', critical: true }],
    dump_action: 'db-dump',
    schedule_hint: 'daily',
  };
  service.on('actions.list', () => ({ success: true, template_species: 'reader', actions, backup }));
}

/** Answers with an action that first runs and then has finished. */
function playExecution(end: Parameters<typeof records.execution>[0]): void {
  const begun = records.execution();
  const reply = (execution: typeof begun) => ({ success: true as const, execution, data: execution });
  service.on('actions.execute', () => reply(begun));
  let reads = 0;
  service.on('actions.read', () =>
    reply(reads++ === 0 ? records.execution({ status: 'running' }) : records.execution(end)),
  );
}

test('instances list hides released instances; show lists the containers', async () => {
  const gone = records.instance({ id: records.recordId('ins', 2), instance_uid: 'old', status: 'released' });
  service.list('instances.list', [records.instance(), gone]);
  const { stdout } = await run('instances');
  expect(stdout).toBe(
    [
      'Name   Species  Server  Status   Health   Running for  Address',
      'feeds  reader   web-1   running  healthy  2 min 5 s    https://feeds.example.org',
      '',
    ].join('\n'),
  );
  expect(JSON.parse((await run('instances', '--all', '--json')).stdout)).toEqual([records.instance(), gone]);
  const component = {
    name: 'db',
    container_id: 'c1',
    status: 'running',
    health: 'healthy',
    image: 'postgres:17',
  } as const;
  service.list('instances.list', [records.instance({ components: [component] })]);
  const shown = await run('instances', 'show', 'feeds');
  expect(shown.stdout).toContain('Address      https://feeds.example.org');
  expect(shown.stdout).not.toContain('Memory');
  expect(shown.stdout).toContain('db         running  healthy  postgres:17');
  expect(shown.stdout).not.toContain('Nodes');
  const spread = { ...component, nodes: ['n1', 'n2'] };
  service.list('instances.list', [records.instance({ components: [spread, { ...component, name: 'app' }] })]);
  const clustered = (await run('instances', 'show', 'feeds')).stdout;
  expect(clustered).toMatch(/Component +Status +Health +Image +Nodes\n/);
  expect(clustered).toContain('postgres:17  n1, n2');
});

test('instances show draws the usage of the last hour', async () => {
  service.on('metrics.instance', () => ({ success: true, data: records.instanceMetrics(0, 40, 80, 20) }));
  const { stdout } = await run('instances', 'show', 'feeds');
  expect(stdout).toContain('Processor    ▁▅█▃ 20.0 % of a core, at most 80.0 % of a core in the last hour\n');
  expect(stdout).toContain('Memory       ▁▅█▃ 20.0 MiB, at most 80.0 MiB in the last hour\n');
});

test('an unknown name exits with 4, and a released instance does not shadow an active one', async () => {
  const gone = records.instance({ id: records.recordId('ins', 2), status: 'released' });
  service.list('instances.list', [gone, records.instance()]);
  expect(JSON.parse((await run('instances', 'show', 'feeds', '--json')).stdout).id).toBe(records.ids.instance);
  expect(await run('instances', 'show', 'frob')).toMatchObject({
    code: 4,
    stdout: '',
    stderr: 'There is no instance frob.\nhortus instances list shows all.\n',
  });
});

test('stop returns at once, or with --wait prints the result', async () => {
  playExecution({ status: 'completed' });
  const execution = records.execution({ slug: 'stop', name: 'Stop' });
  service.on('instances.stop', () => {
    const stopped = records.instance();
    return { success: true, execution, instance: stopped, data: stopped };
  });
  expect(await run('instances', 'stop', 'feeds')).toMatchObject({
    code: 0,
    stdout: `feeds is stopping. hortus actions show ${records.ids.execution} shows its progress.\n`,
  });
  expect((await run('instances', 'stop', 'feeds', '--wait')).stdout).toBe('feeds is stopped.\n');
  playExecution({ status: 'failed', error: 'The engine does not answer.' });
  expect(await run('instances', 'stop', 'feeds', '--wait')).toMatchObject({
    code: 1,
    stderr: 'The engine does not answer. feeds is running.\n',
  });
});

test('release in a script requires --yes and the name of each critical volume', async () => {
  playActions();
  service.on('instances.release', () => {
    const instance = records.instance();
    return { success: true, execution: records.execution(), instance, data: instance };
  });
  const orders = () => service.asked.filter(({ name }) => name === 'instances.release').map(({ body }) => body);
  const plain = await run('instances', 'release', 'feeds');
  expect(plain).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Releasing feeds removes 1 container. Its volumes stay.'),
  });
  const critical = await run('instances', 'release', 'feeds', '--remove-volumes', '--yes');
  expect(critical).toMatchObject({
    code: 2,
    stderr: 'The volume dbdata is critical.\nAdd --confirm dbdata to remove it.\n',
  });
  expect(orders()).toEqual([]);
  await run('instances', 'release', 'feeds', '--yes');
  await run('instances', 'release', 'feeds', '--remove-volumes', '--confirm', 'dbdata', '--yes');
  expect(orders()).toEqual([{}, { remove_volumes: true, confirm: ['dbdata'] }]);
});

test('the output of an action reaches a pipe unchanged', async () => {
  playActions(records.action());
  const output = '-- dump\n\u001b[1mINSERT\u001b[0m\tno break at the end';
  playExecution({ status: 'completed', exit_code: 0, output });
  expect(await run('actions', 'run', 'feeds', 'db-dump', '--wait')).toEqual({ code: 0, stdout: output, stderr: '' });
  playExecution({ status: 'failed', exit_code: 3, output: 'half', output_truncated: true, error: 'pg_dump failed.' });
  expect(await run('actions', 'run', 'feeds', 'db-dump', '--wait')).toEqual({
    code: 1,
    stdout: 'half',
    stderr:
      'The output exceeds the storage limit and is incomplete.\n' +
      'Dump database on feeds failed (exit code 3). pg_dump failed.\n',
  });
});

test('params are checked, and a dangerous action requires --yes in a script', async () => {
  const flush = records.action({
    slug: 'flush',
    name: 'Flush',
    description: 'Empties it.',
    dangerous: true,
    params: [{ name: 'database', type: 'integer', required: true, default: null }],
  });
  playActions(records.action(), flush);
  playExecution({ status: 'completed' });
  expect((await run('actions', 'list', 'feeds')).stdout).toContain('flush    300s   database  Dangerous. Empties it.');
  expect(await run('actions', 'run', 'feeds', 'frob')).toMatchObject({
    code: 4,
    stderr: 'feeds has no action frob.\nAvailable: db-dump, flush.\n',
  });
  expect((await run('actions', 'run', 'feeds', 'flush', '--yes')).stderr).toContain('flush needs --param database=');
  expect((await run('actions', 'run', 'feeds', 'flush', '--param', 'x=1')).stderr).toContain(
    'flush has no parameter x.',
  );
  const unconfirmed = await run('actions', 'run', 'feeds', 'flush', '--param', 'database=0');
  expect(unconfirmed).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Flush on feeds is dangerous. Empties it.'),
  });
  const done = await run('actions', 'run', 'feeds', 'flush', '--param', 'database=0', '--yes');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  const sent = service.asked.filter(({ name }) => name === 'actions.execute');
  expect(sent.map(({ body, params }) => [params.slug, body])).toEqual([['flush', { params: { database: '0' } }]]);
});

test('logs --deployment follows the newest deployment of a uid until it has finished', async () => {
  service.list('definitions.list', [records.definition()]);
  service.list('deployments.list', [records.deployment()]);
  let reads = 0;
  service.on('deployments.read', ({ query }) => {
    // Two lines per answer, as a long log is paged.
    const after = Number(query.after ?? 0);
    const ended = reads++ > 1;
    const fresh = [1, 2, 3].slice(after, after + 2).map((number) => records.line(number, 'pull', `line ${number}`));
    const data = records.detail({
      status: ended ? 'failed' : 'running',
      error: ended ? 'It broke.' : null,
      logs: fresh,
    });
    return { success: true, data: { ...data, logs_truncated: after + 2 < 3 } };
  });
  const { code, stdout, stderr } = await run('logs', '-f', '--deployment', 'feeds');
  expect(stdout.split('\n').map((line) => line.slice(10).trim())).toEqual([
    'pull          line 1',
    'pull          line 2',
    'pull          line 3',
    '',
  ]);
  expect([code, stderr]).toEqual([1, 'It broke.\n']);
  expect(JSON.parse((await run('logs', '--deployment', records.ids.deployment, '--json')).stdout)).toHaveLength(3);
});

const containerLine = (n: number, over: Partial<ContainerLine> = {}): ContainerLine => ({
  id: String(1000 + n),
  at: records.moment(n),
  component: n % 2 ? 'app' : 'db',
  replica: 1,
  container_id: 'abcdef012345',
  stream: 'stdout',
  level: null,
  text: `line ${n}`,
  cut: false,
  ...over,
});

test('logs prints the lines of containers, harmless for the terminal, and passes its filters on', async () => {
  service.list('instances.list', [records.instance()]);
  service.on('logs.instance', () => ({
    success: true,
    data: {
      lines: [containerLine(1), containerLine(2, { text: 'a\u001b]0;renamed\u0007b', cut: true })],
      older: null,
      newer: '1002',
    },
  }));
  const flags = ['--component', 'app', '--grep', 'line', '--tail', '5', '--until', '2030-01-01T12:00:00Z'];
  const { code, stdout } = await run('logs', 'feeds', ...flags);
  expect([code, stdout]).toEqual([0, '12:00:01.000 app line 1\n12:00:02.000 db  ab … cut\n']);
  const asked = service.asked.filter(({ name }) => name === 'logs.instance');
  expect(asked.map(({ query }) => query)).toEqual([
    { component: 'app', q: 'line', tail: '5', until: '2030-01-01T12:00:00.000Z' },
  ]);
  const json = await run('logs', 'feeds', '--json', '--tail', '2');
  expect(
    json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  ).toEqual(['1001', '1002']);
});

test('logs --since reads all pages', async () => {
  service.list('instances.list', [records.instance()]);
  service.on('logs.instance', ({ query }) => {
    const from = Number(query.after);
    const lines = Array.from({ length: Math.min(1_000, 1_500 - from) }, (_, i) => containerLine(from + i + 1));
    return { success: true, data: { lines, older: null, newer: String(from + lines.length) } };
  });
  const { stdout } = await run('logs', 'feeds', '--since', '10m', '--json');
  expect(stdout.trim().split('\n')).toHaveLength(1_500);
});

test('logs says how to see the log of a deployment, and refuses nonsense', async () => {
  expect(await run('logs', records.ids.deployment)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`hortus logs --deployment ${records.ids.deployment} shows its log.`),
  });
  expect((await run('logs')).code).toBe(2);
  expect(await run('logs', 'feeds', '--since', 'soon')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--since must be a duration such as 10m, or a time.'),
  });
});

test('logs says that a part of a log is no longer kept', async () => {
  service.on('deployments.read', () => ({ success: true, data: records.detail({ log_dropped: true, logs: [] }) }));
  const { stderr } = await run('logs', '--deployment', records.ids.deployment);
  expect(stderr).toContain('A part of this log is no longer kept.');
});

test('deployments list shows the definition of each', async () => {
  service.list('definitions.list', [records.definition()]);
  service.list('deployments.list', [
    records.deployment({
      status: 'failed',
      reason: 'unhealthy',
      started_at: records.moment(0),
      finished_at: records.moment(9),
    }),
  ]);
  const { stdout } = await run('deployments', 'list', '--status', 'failed', '--limit', '1');
  expect(stdout).toContain('feeds');
  expect(stdout).toMatch(/failed .*9\.0 s {2}unhealthy\n$/);
  expect(service.asked.find(({ name }) => name === 'deployments.list')?.query).toEqual({
    status: 'failed',
    per_page: '1',
    page: '1',
  });
});

test.each([
  ['UNAUTHORIZED', 3],
  ['FORBIDDEN', 3],
  ['NOT_FOUND', 4],
  ['VALIDATION_ERROR', 6],
] as const)('%s exits with code %i, and --json prints the reason for programs', async (word, code) => {
  service.on('instances.list', () => {
    throw new Refusal(word, 'No, because.');
  });
  const outcome = await run('instances', '--json');
  expect(outcome).toMatchObject({ code, stdout: '' });
  expect(JSON.parse(outcome.stderr)).toMatchObject({ success: false, error: { code: word, message: 'No, because.' } });
});

test('servers register shows the key, and then waits for a daemon that the service is building', async () => {
  const registered = { ...records.server(), api_key: 'hs_live_1', manifest_public_key: 'MCowBQ' };
  service.on('servers.register', () => ({ success: true, data: registered }));
  let reads = 0;
  service.on('implant.read', ({ params }) => {
    if (params.arch === 'amd64' && reads++ > 3) return { success: true, data: records.agent('amd64') };
    if (params.arch === 'arm64') throw new Refusal('NOT_FOUND', 'It could not be built.', { reason: 'build_failed' });
    throw new Refusal('NOT_FOUND', 'It is being built.', { reason: 'building', retry_after: 10 });
  });
  const { code, stdout, stderr } = await run('servers', 'register', 'web-1');
  expect(code).toBe(0);
  expect(stderr.match(/The service is building its daemon/g)).toHaveLength(1);
  expect(stdout).toMatch(/hs_live_1\n[\s\S]*\nPaste this on .+ to install and start the daemon:\nHORTUSD_KEY=/);
  // A script does not wait: it may want only the key.
  reads = 0;
  expect(JSON.parse((await run('servers', 'register', 'web-1', '--json')).stdout)).toMatchObject({
    api_key: 'hs_live_1',
  });
});

test('servers register prints the key for the daemon; show prints free resources', async () => {
  const registered = { ...records.server(), api_key: 'hs_live_1', manifest_public_key: 'MCowBQ' };
  service.on('servers.register', () => ({ success: true, data: registered }));
  service.on('implant.read', ({ params }) => {
    if (params.arch === 'amd64') return { success: true, data: records.agent('amd64') };
    throw new Refusal('NOT_FOUND', 'It was not built.');
  });
  const { code, stdout } = await run('servers', 'register', 'web-1', '--description', 'In the cellar');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^HORTUSD_KEY=hs_live_1 sh -c '[^']+' hortus https:\/\/hortus\.example\.org c{64} - --url .+ --public-key MCowBQ$/m,
  );
  expect(stdout).toContain('Key of its daemon, shown this once:\nhs_live_1\n');
  expect(stdout).toContain('MCowBQ');
  service.on('capacity.read', () => ({
    success: true,
    data: {
      server_id: records.ids.server,
      memory: { used: 2 * 1024 ** 3, free: 6 * 1024 ** 3 },
      cpu: { cores: 4, used_percent: 12.5 },
      disk: { used: 50e9, free: 150e9 },
      reported_at: records.moment(0),
      age_seconds: 3,
    },
  }));
  service.on('capacity.history', () => ({ success: true, data: records.capacityHistory(0, 60, 25) }));
  const shown = await run('servers', 'show', 'web-1');
  expect(shown.stdout).toMatch(/Last hour +▁▅▃ at most 60 % in use\n/);
  expect(shown.stdout).toMatch(/Memory +6\.0 GiB free of 8\.0 GiB\n/);
  expect(shown.stdout).toMatch(/Disk +150 GB free of 200 GB\n/);
});

test('an interrupt prints that the work continues and how to follow it', async () => {
  const logs = [records.line(1, 'pull', 'Pulling')];
  service.on('deployments.read', ({ query }) => ({
    success: true,
    data: records.detail({ status: 'running', logs: query.after === '0' ? logs : [] }),
  }));
  await using program = startProcess(
    [process.execPath, cliMain, 'logs', '-f', '--deployment', records.ids.deployment],
    {
      env: { ...environment(home.path), HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' },
    },
  );
  await program.waitForLine('Pulling');
  expect(await program.kill('SIGINT')).toEqual({ code: 130, signal: null });
  await program.waitForLine(
    `The deployment continues. hortus logs -f --deployment ${records.ids.deployment} follows it again.`,
  );
});

test('the pinned key pair of a server can be shown and reset', async () => {
  const { fingerprint } = records.server().identity;
  const other = `sha256:${'c'.repeat(64)}`;
  const conflict = { ...records.server().identity, status: 'conflict' as const, conflicting_fingerprint: other };
  expect(describeIdentity({ identity: conflict })).toContain(`a daemon with ${other} was refused`);
  let body: unknown;
  service.on('servers.resetIdentity', (request) => {
    body = request.body;
    return { success: true, data: records.server() };
  });
  const { stdout } = await run('servers', 'reset-identity', 'web-1', '--fingerprint', `${fingerprint}`);
  expect(stdout).toBe(`web-1 accepts the daemon with the key ${fingerprint} only.\n`);
  expect(body).toEqual({ fingerprint });
});

test('drain lists the instances to move; undrain allows deployments again', async () => {
  const { id, definition_id, instance_uid, name, status } = records.instance();
  const instances = [{ id, definition_id, instance_uid, name, status, tenant_id: null }];
  const drained = { ...records.server({ status: 'draining' }), instances };
  service.on('servers.drain', () => ({ success: true, data: drained }));
  service.on('servers.undrain', () => ({ success: true, data: { ...records.server(), instances } }));
  const { stdout } = await run('servers', 'drain', 'web-1');
  expect(stdout).toContain('web-1 takes no new deployments.\n');
  expect(stdout).toMatch(/feeds +running +def_/);
  expect(JSON.parse((await run('servers', 'drain', 'web-1', '--json')).stdout)).toEqual(drained);
  expect((await run('servers', 'undrain', 'web-1')).stdout).toBe('web-1 is online and takes deployments again.\n');
  service.on('servers.drain', () => ({ success: true, data: { ...drained, instances: [] } }));
  expect((await run('servers', 'drain', 'web-1')).stdout).toContain('No instances are left on it.');
});

const plannedMove = (name: string, to: string | null) => ({
  ...{ name, tenant_id: null, definition_id: records.ids.definition, to_server_id: to && records.ids.server },
  ...{ to_server_name: to, reason: to === null ? `${name} is stopped.` : `${to} is the server with the most room.` },
  ...{ running: true, volumes: ['data'], addresses: [`${name}.example.org`], blockers: [], warnings: [] },
});

const evacuation = (over: Partial<EvacuationDetail> = {}): EvacuationDetail => ({
  ...{ id: `evc_${'0'.repeat(26)}`, server_id: records.ids.server, status: 'running', at_once: 3 },
  ...{ total: 1, moved: 0, moving: 0, stuck: 0, created_by: null, moves: [] },
  ...{ created_at: records.moment(0), updated_at: records.moment(0), finished_at: null },
  ...over,
});

test('drain --move shows the plan, empties the server and says what stayed', async () => {
  const plan = {
    ...{ server_id: records.ids.server, server_name: 'web-1', left_out: 0 },
    moves: [plannedMove('feeds', 'web-2'), plannedMove('notes', null)],
  };
  service.on('evacuations.create', ({ body }) => ({
    success: true,
    data: { plan, evacuation: (body as { dry_run?: boolean }).dry_run ? null : evacuation() },
  }));
  const { stdout } = await run('servers', 'drain', 'web-1', '--move', '--dry-run');
  expect(stdout).toMatch(/feeds +web-2 +1 +web-2 is the server with the most room/);
  expect(stdout).toMatch(/notes +stays +1 +notes is stopped/);
  expect(stdout).toContain('DNS of these names afterwards: feeds.example.org.');
  expect(JSON.parse((await run('servers', 'drain', 'web-1', '--move', '--dry-run', '--json')).stdout)).toEqual(plan);

  const move = {
    ...{ number: 1, tenant_id: null, definition_id: records.ids.definition, name: 'feeds', reason: null },
    ...{ to_server_id: records.ids.server, migration_id: `mig_${'0'.repeat(26)}`, error: null, finished_at: null },
  };
  const ended = { finished_at: records.moment(9), downtime_ms: 1_200 };
  const stuck = { ...move, ...ended, number: 2, name: 'notes', status: 'stuck' as const, error: 'notes is stopped.' };
  const states = [
    evacuation({ moving: 1, moves: [{ ...move, status: 'moving', downtime_ms: null }] }),
    evacuation({
      ...{ status: 'incomplete', total: 2, moved: 1, stuck: 1, finished_at: records.moment(9) },
      moves: [{ ...move, ...ended, status: 'moved' }, stuck],
    }),
  ];
  service.on('evacuations.read', () => ({
    success: true,
    data: (states.length > 1 ? states.shift() : states[0]) ?? evacuation(),
  }));
  const argv = ['servers', 'drain', 'web-1', '--move', '--at-once', '3', '--label', 'site=berlin', '--yes', '--wait'];
  const end = await run(...argv);
  expect(end.code).toBe(1);
  expect(end.stdout).toContain('feeds moves to web-1 (mig_');
  expect(end.stdout).toMatch(/feeds moved to web-1, down for/);
  expect(end.stdout).toContain('notes stays: notes is stopped.');
  expect(end.stdout).toContain('The evacuation is incomplete: 1 of 2 moved, 1 could not be moved.');
  expect(service.asked.findLast(({ name }) => name === 'evacuations.create')?.body).toEqual({
    ...{ at_once: 3, dry_run: false, placement: { labels: { site: 'berlin' } } },
  });
  expect(await run('servers', 'drain', 'web-1', '--at-once', '3')).toMatchObject({ code: 2 });
  expect(await run('servers', 'drain', 'web-1', '--move', '--at-once', '9')).toMatchObject({ code: 2 });
});

test('evacuations are listed, shown and cancelled', async () => {
  service.list('evacuations.list', []);
  expect((await run('servers', 'evacuations', 'web-1')).stdout).toContain('hortus servers drain web-1 --move');
  service.list('evacuations.list', [evacuation({ total: 4, moved: 3 })]);
  expect((await run('servers', 'evacuations', 'web-1')).stdout).toMatch(/evc_0+ +running +3 of 4/);
  service.on('evacuations.cancel', () => ({ success: true, data: evacuation({ status: 'cancelling' }) }));
  const cancelled = await run('servers', 'evacuations', 'cancel', evacuation().id);
  expect(cancelled.stdout).toContain('The evacuation is cancelling: 0 of 1 moved.');
});

test('balance prints commands and moves nothing', async () => {
  const sizes = { server_id: records.ids.server, memory_bytes: 1_000, taken_bytes_after: 450 };
  const servers = [{ ...sizes, name: 'web-1', taken_bytes: 600 }];
  service.on('servers.balance', () => ({ success: true, data: { servers, moves: [] } }));
  expect((await run('servers', 'balance')).stdout).toContain('No move would help noticeably.');
  const line = `hortus definitions migrate feeds --server ${records.ids.server}`;
  const from = { from_server_id: records.ids.server, from_server_name: 'web-1' };
  const move = {
    ...{ definition_id: records.ids.definition, name: 'feeds', ...from, to_server_id: records.ids.server },
    ...{ to_server_name: 'web-2', memory_bytes: 150, reason: 'web-1 goes from 60% to 45%.', command: line },
  };
  service.on('servers.balance', () => ({ success: true, data: { servers, moves: [move] } }));
  const { stdout } = await run('servers', 'balance');
  expect(stdout).toMatch(/web-1 .*60 % +45 %/);
  expect(stdout).toContain(line);
});

test('servers doctor shows versions and each error with its stack, and fails after a recent error', async () => {
  const at = new Date(Date.now() - 60_000).toISOString();
  const error = {
    ...{ level: 'fatal' as const, message: 'the daemon crashed', fields: { deployment: 'dep_1' }, count: 2 },
    ...{ detail: 'Error: \u001b[2Jno\n    at main.ts:1\nCaused by: TypeError: why', first_at: at, last_at: at },
  };
  const about = { version: '1.4.0', node: '26.1.0', os: 'Debian 12', policy: '# Comment\nshell: true' };
  let errors = [error];
  service.on('diagnostics.read', () => ({
    success: true,
    data: {
      server_id: records.server().id,
      service_version: '1.5.0',
      daemons: [{ ...about, member_id: null, errors, reported_at: at }],
    },
  }));
  const capacity = { memory: null, cpu: null, disk: null, reported_at: null, age_seconds: null };
  service.on('capacity.read', () => ({ success: true, data: { server_id: records.server().id, ...capacity } }));
  service.list('daemon-updates.list', []);
  const { stdout, code } = await run('servers', 'doctor', 'web-1');
  expect(code).toBe(1);
  expect(stdout).toMatch(/Service +1\.5\.0/);
  expect(stdout).toContain('hortusd 1.4.0, Node 26.1.0, Debian 12');
  expect(stdout).toContain(`    ${at} fatal (2 times since ${at}): the daemon crashed deployment=dep_1
    Error: no
        at main.ts:1
    Caused by: TypeError: why
`);
  expect(stdout).toContain('1 problem: 1 error in the last 24 hours');
  expect(JSON.parse((await run('servers', 'doctor', 'web-1', '--json')).stdout)).toMatchObject({
    diagnostics: { daemons: [{ errors: [error] }] },
    server: { name: 'web-1' },
    update: null,
  });
  errors = [];
  expect((await run('servers', 'doctor', 'web-1')).code).toBe(0);
});
