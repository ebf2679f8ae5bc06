import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { addServer, type ReportedServer } from '@hortus/testkit/reported-servers';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildNpmPackages } from '../../scripts/release/npm-packages.ts';
import { type ServiceProcess, startService } from '../service-process.ts';
import { builtPackages } from './built-packages.ts';
import { installInEmptyFolder, type Project } from './empty-folder.ts';

const root = join(import.meta.dirname, '../..');
/** The first Node of PATH outside of node_modules. */
const ofMachine = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file));
const nodes = [
  { owner: 'this repository', node: process.execPath },
  ...(ofMachine === undefined ? [] : [{ owner: 'the machine', node: ofMachine }]),
];

let packages: { client: string; cli: string };
let service: ServiceProcess;
beforeAll(async () => {
  packages = await builtPackages();
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  service = await startService({ directory: folder.path, env: { HORTUS_ADMIN_EMAIL: 'mira@example.org' } });
  afterAll(() => service.process.stop());
}, 180_000);

it('building twice gives the same bytes', async () => {
  await using folder = temporaryFolder('packages');
  const again = await buildNpmPackages(folder.path);
  for (const name of ['client', 'cli'] as const)
    expect(readFileSync(again[name]).equals(readFileSync(packages[name])), name).toBe(true);
});

describe('@hortus/client', () => {
  let project: Project;
  beforeAll(async () => {
    project = await installInEmptyFolder(packages.client);
    for (const [name, text] of examplesOf('packages/client/README.md')) {
      project.write(name, text.replaceAll('https://hortus.example.org/api/v1', service.base));
    }
  });

  it('has no dependency, and its main module imports nothing but its own files', () => {
    const own = 'node_modules/@hortus/client';
    const manifest = JSON.parse(readFileSync(join(project.path, own, 'package.json'), 'utf8'));
    expect(Object.keys(manifest).filter((field) => /dependencies|scripts/i.test(field))).toEqual([]);
    const seen = new Set(['index.js']);
    for (const file of seen) {
      const code = readFileSync(join(project.path, own, file), 'utf8');
      expect(code).not.toContain(root);
      for (const [, from = ''] of code.matchAll(/^(?:import|export)\b[^'"\n]*["']([^"']+)["'];$/gm)) {
        expect(isBuiltin(from), `${file} imports ${from}`).toBe(false);
        expect(from).toMatch(/^\.\//);
        seen.add(from.slice(2));
      }
    }
  });

  it('the types of each module are beside it, for compilers that do not read exports', () => {
    const own = join(project.path, 'node_modules/@hortus/client');
    const { exports } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
    const modules = Object.values<{ types: string; default: string } | string>(exports).filter(
      (to) => typeof to !== 'string',
    );
    expect(modules).toHaveLength(2);
    for (const { types, default: module } of modules) {
      expect(types).toBe(module.replace(/\.js$/, '.d.ts'));
      expect(existsSync(join(own, types))).toBe(true);
    }
  });

  it('its types need neither TypeBox nor the types of Node', async () => {
    project.write('browser.ts', typed);
    await project.compile({ lib: ['es2022', 'dom'], types: [], noEmit: true }, ['browser.ts']);
  });

  it('the examples of its README compile and run', { timeout: 240_000 }, async () => {
    const typeRoots = [join(root, 'node_modules/@types')];
    project.write('receive-one.ts', receiveOne);
    project.write('shell.ts', "export { ShellConnection } from '@hortus/client/shell';\n");
    const examples = ['list.ts', 'problem.ts', 'deploy.ts', 'follow.ts', 'receive.ts'];
    await project.compile({ lib: ['es2022'], types: ['node'], typeRoots }, [...examples, 'receive-one.ts', 'shell.ts']);
    const server = await addServer(service, 'beech');
    await using _daemon = reportsSuccess(server);
    const env = { HORTUS_KEY: service.key, WEBHOOK_SECRET: 'a long random string' };
    const outputs = {
      'deploy.js': /^The deployment ended: success\.\n$/,
      'list.js': /^Account: .+\n.+ is healthy\.\n$/,
      'problem.js': /^Not found \(HTTP 404, request \S+\)\.\n$/,
      'follow.js': /^deployment\.started at .+\ndeployment\.success at .+\n$/,
      'receive-one.js': /^403\ndeployment\.success at 2026-01-01T00:00:00Z\n204\n$/,
      'shell.js': /^$/,
    };
    for (const { node, owner } of nodes) {
      for (const [file, output] of Object.entries(outputs)) {
        // The definition of the example exists only once.
        if (file === 'deploy.js' && node !== process.execPath) continue;
        const ran = await project.run([node, join('out', file)], { env });
        expect(ran, `${file} on the Node of ${owner}: ${ran.stderr}`).toMatchObject({ code: 0, stderr: '' });
        expect(ran.stdout, file).toMatch(output);
      }
    }
  });
});

describe('hortus', () => {
  let project: Project;
  beforeAll(async () => {
    project = await installInEmptyFolder(packages.cli);
  });
  const hortus = (node: string, argv: readonly string[], input?: string) =>
    project.run([node, 'node_modules/.bin/hortus', ...argv], input === undefined ? {} : { input });

  it.each(nodes)('signs in and lists on the Node of $owner', async ({ node }) => {
    const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'));
    expect(await hortus(node, ['--version'])).toEqual({ code: 0, stdout: `hortus ${version}\n`, stderr: '' });
    expect(await hortus(node, ['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('hortus help all'),
    });
    const login = await hortus(node, ['login', '--url', service.root], service.key);
    expect(login, login.stderr).toMatchObject({ code: 0 });
    const servers = await hortus(node, ['servers', 'list', '--json']);
    expect(servers, servers.stderr).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(servers.stdout)).toBeInstanceOf(Array);
    const catalog = await hortus(node, ['catalog', '-o', 'name']);
    expect(catalog.stdout.split('\n')).toContain('uptime-kuma');
    expect(await hortus(node, ['deploy', 'uptime-kuma', '--server', 'nowhere'])).not.toMatchObject({ code: 0 });
    expect(await hortus(node, ['completion', 'bash', '--', 'instances', 'l'])).toMatchObject({
      code: 0,
      stdout: 'list\n',
    });
    expect(await hortus(node, ['logout'])).toMatchObject({ code: 0 });
  });

  it.each(nodes)(
    'every module loads on the Node of $owner, or lacks a part of Node that is reported',
    async ({ node }) => {
      project.write('load.mjs', loadAll);
      const { code, stdout, stderr } = await project.run([node, 'load.mjs']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const lacking = stdout.split('\n').filter(Boolean);
      expect(lacking.filter((line) => !/(createZstd\w+'|node:sqlite|'globSync')$/.test(line))).toEqual([]);
      if (node === process.execPath) expect(lacking).toEqual([]);
    },
  );

  it('runs by its name, brings its manual page and completions, and has no dependency', async () => {
    const own = join(project.path, 'node_modules/hortus');
    expect(await project.run(['npx', '--no', 'hortus', 'version'])).toMatchObject({ code: 0 });
    const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
    expect(Object.keys(manifest).filter((field) => /dependencies|scripts/i.test(field))).toEqual([]);
    expect(readFileSync(join(own, manifest.man[0]), 'utf8')).toContain('.TH HORTUS 1');
    expect(readFileSync(join(own, 'completions/_hortus'), 'utf8')).toContain('#compdef hortus');
    expect(readFileSync(join(own, 'THIRD-PARTY-LICENSES.txt'), 'utf8')).toMatch(/^yaml \d/m);
  });
});

/** Returns the programs of a README by their names, which stand in their first lines. */
function examplesOf(readme: string): [name: string, text: string][] {
  const text = readFileSync(join(root, readme), 'utf8');
  return [...text.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => [
    name,
    code,
  ]);
}

/** Acts as the daemon of a server: every deployment succeeds. */
function reportsSuccess({ daemon }: ReportedServer): AsyncDisposable {
  const leaving = new AbortController();
  const work = async () => {
    await until(
      async () => {
        const { data } = await daemon.call('deployments.pending', {});
        for (const { id, definition_id } of data) {
          await daemon.call('deployments.status', { params: { id }, body: { status: 'running' } });
          const instance = { definition_id, status: 'running' as const, health: 'healthy' as const };
          await daemon.call('deployments.report', { body: { deployment_id: id, status: 'success', instance } });
          await daemon.call('instances.report', { body: { instances: [instance] } });
        }
        return leaving.signal.aborted;
      },
      { within: 200_000, describe: 'the end of the test' },
    );
  };
  const working = work();
  return {
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await working;
    },
  };
}

/** Uses each kind of call with its types. */
const typed = `
import { ApiProblem, type Client, createClient, type Deployment, waitFor, waitForEnd, type WebhookBody } from '@hortus/client';

export const client: Client = createClient({ baseUrl: '/api/v1', retries: { attempts: 1 } });
export async function use(deployment: Deployment, body: WebhookBody): Promise<string> {
  const { data } = await client.call('deployments.read', { params: { id: deployment.id } });
  const status: 'pending' | 'running' | 'success' | 'failed' = data.status;
  for await (const { id } of client.pages('definitions.list', { query: { status: 'active' } })) id.toUpperCase();
  for await (const { event } of client.stream('logs.instance', { params: { id: 'ins_1' } })) event.toUpperCase();
  await waitForEnd(client, 'actions.read', 'exe_1').then(({ execution }) => execution.status);
  await waitFor(client, 'servers.read', { params: { id: 'srv_1' } }, {
    resourceId: 'srv_1',
    until: ({ data }) => data.connected,
  });
  const file: Response = await client.download('implant.download', { params: { os_type: 'linux', arch: 'amd64' } });
  // @ts-expect-error path parameters are required
  client.call('definitions.read');
  // @ts-expect-error a status is one of the contract
  client.call('definitions.list', { query: { status: 'sleeping' } });
  // @ts-expect-error there is no such endpoint
  client.call('definitions.invent');
  return [status, file.status, body.type, new ApiProblem({ code: 'NETWORK', status: 0, message: '' }).code].join();
}
`;

/** Hands a delivery to the receiver of the README, unsigned and signed. */
const receiveOne = `
import { createHmac } from 'node:crypto';
import { receive } from './receive.js';

const body = JSON.stringify({ id: 'evt_1', type: 'deployment.success', created_at: '2026-01-01T00:00:00Z' });
const timestamp = String(Math.floor(Date.now() / 1000));
const signature = createHmac('sha256', process.env.WEBHOOK_SECRET ?? '').update(\`evt_1.\${timestamp}.\${body}\`).digest('base64');
for (const given of ['v1,', \`v1,\${signature}\`]) {
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': given };
  const response = await receive(new Request('http://localhost/', { method: 'POST', headers, body }));
  console.log(response.status);
}
`;

/** Loads each module of the command line client and prints why one cannot be loaded. */
const loadAll = `
import { readdirSync } from 'node:fs';

const folder = new URL('./node_modules/hortus/dist/', import.meta.url);
for (const file of readdirSync(folder).filter((name) => name !== 'main.mjs')) {
  await import(new URL(file, folder)).catch(({ message }) => console.log(file, message));
}
`;
