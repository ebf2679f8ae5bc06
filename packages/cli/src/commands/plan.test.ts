import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hortusHere } from '../testing/hortus.ts';
import * as records from '../testing/records.ts';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';

let service: ScriptedService;
let home: TemporaryFolder;

const unchanged = { strategy: null, interruption: false, containers: 1, changes: [] };
const foreseen = records.deploymentPlan({
  interruption: true,
  components: [
    {
      ...unchanged,
      name: 'app',
      kind: 'service',
      change: 'replaced',
      strategy: 'beside',
      image: 'reader:2',
      containers: 2,
      changes: [
        { field: 'env.MODE', before: 'web', after: 'mail', drift: false },
        { field: 'limits.memory', before: 2, after: 1, drift: true },
      ],
    },
    { ...unchanged, name: 'db', kind: 'service', change: 'replaced', strategy: 'recreate', image: 'db:2' },
    { ...unchanged, name: 'cache', kind: 'service', change: 'unchanged', image: 'cache:1' },
  ],
  jobs: [{ component: 'migrate', image: 'reader:2', run: 'before_start', irreversible: true }],
  routes: [
    { name: 'web', change: 'changed', before: 'https://old.example.org', after: 'https://new.example.org' },
    { name: 'api', change: 'added', before: null, after: 'https://api.example.org' },
    { name: 'old', change: 'unchanged', before: 'https://x', after: 'https://x' },
  ],
  permissions: [
    { kind: 'host_port', component: 'app', value: '53/udp', reason: 'To answer names.', needs_operator: true },
  ],
  warnings: ['The server is not connected; the deployment waits for it.'],
});

beforeEach(async () => {
  service = await startScriptedService();
  home = temporaryFolder('cli');
  service.list('servers.list', [records.server()]);
  service.on('servers.read', () => ({ success: true, data: records.server() }));
  service.on('templates.read', () => ({ success: true, data: records.template() }));
  service.list('definitions.list', [records.definition()]);
  service.on('deployments.plan', () => ({ success: true, data: foreseen }));
  service.on('deployments.execute', () => ({ success: true, data: records.deployment() }));
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const run = (...argv: string[]) =>
  hortusHere(home.path, argv, { env: { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' } });

const shown = [
  'Component  Change     How                               Reason',
  'app        replaced   2 containers, beside the old one  env.MODE, limits.memory (drifted)',
  'db         replaced   after the old one has stopped',
  'cache      unchanged',
  'The job migrate runs before the start and cannot be undone.',
  'https://old.example.org becomes https://new.example.org.',
  'https://api.example.org is added.',
  'app asks for host_port 53/udp: To answer names. The operator of the server must allow it.',
  'The server is not connected; the deployment waits for it.',
  'The service is interrupted briefly.',
  '',
].join('\n');

test('a plan shows components, jobs and interruption', async () => {
  expect(await run('plan', 'feeds')).toMatchObject({ code: 0, stdout: shown, stderr: '' });
  expect(JSON.parse((await run('plan', 'feeds', '--json')).stdout)).toEqual(foreseen);
  expect(await run('plan', 'frob')).toMatchObject({ code: 4 });
  service.on('deployments.plan', () => ({ success: true, data: records.deploymentPlan({ nothing_to_do: true }) }));
  expect((await run('plan', 'feeds')).stdout).toContain('there is nothing to deploy');
});

test('deploy --plan shows the plan and requests exactly that plan', async () => {
  const { code, stderr } = await run('deploy', '--definition', 'feeds', '--plan');
  expect(code).toBe(0);
  expect(stderr).toContain(shown);
  const orders = service.asked.filter(({ name }) => name === 'deployments.execute').map(({ body }) => body);
  expect(orders).toEqual([{ definition_id: records.ids.definition, plan_hash: foreseen.plan_hash }]);
});

test('a drifted instance shows its differences and how to restore it', async () => {
  const drift = [
    { component: 'app', field: 'limits.memory', declared: 67108864, actual: 134217728 },
    { component: 'db', field: 'component', declared: 'feeds-db', actual: null },
  ];
  service.list('instances.list', [records.instance({ drift, drifted_at: records.moment(0) })]);
  service.on('metrics.instance', () => ({ success: true, data: records.instanceMetrics() }));
  const { stdout } = await run('instances', 'show', 'feeds');
  expect(stdout).toContain('app limits.memory  67108864  134217728');
  expect(stdout).toContain('db component       feeds-db  nothing');
  expect(stdout).toContain('hortus deploy --definition feeds --wait');
});
