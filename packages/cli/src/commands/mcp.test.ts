import { createClient } from '@hortus/client/client';
import { cliMain } from '@hortus/testkit/programs';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../run.ts';
import { environment, hortus } from '../testing/hortus.ts';
import { type RealService, startRealService } from '../testing/real-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: RealService;
let url: string;
const home = temporaryFolder('home');

beforeAll(async () => {
  service = await startRealService();
  url = `${service.address}/api/v1`;
}, 200_000);
afterAll(async () => {
  await service?.stop();
  await home.remove();
});

const api = () => createClient({ baseUrl: url, key: service.key });

async function connect(options: ClientOptions): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  const env = { ...environment(home.path), HORTUS_URL: url, HORTUS_KEY: service.key };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [cliMain, 'mcp'], env }));
  return client;
}

const textOf = (result: { content?: unknown }) => (result.content as { text: string }[])[0]?.text ?? '';

async function aDefinition(name: string): Promise<string> {
  const { data: server } = await api().call('servers.register', { body: { name, environment: 'staging' } });
  const body = {
    species: 'static-site',
    instance_uid: name,
    server_id: server.id,
    inputs: { WEB_HOSTNAME: `${name}.example.org` },
  };
  return (await api().call('definitions.create', { body })).data.id;
}

describe.each<[string, ClientOptions]>([
  ['2026', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ['2025', {}],
])('hortus mcp, for a client of the protocol of %s', (year, options) => {
  test('serves the tools with the key of the context', async () => {
    const client = await connect(options);
    expect((await client.listTools()).tools.length).toBeGreaterThan(20);
    expect(textOf(await client.callTool({ name: 'search_catalog', arguments: { query: 'static' } }))).toContain(
      'static-site',
    );
    expect(textOf(await client.callTool({ name: 'search_catalog', arguments: { quary: 'x' } }))).toBe(
      'quary: is not a known argument.',
    );
    await client.close();
  });

  test('asks the person in the client before something dangerous', async () => {
    const id = await aDefinition(`dangerous-${year}`);
    const client = await connect({ ...options, capabilities: { elicitation: {} } });
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { confirm: true } };
    });
    const args = { instance: id };
    const plan = textOf(await client.callTool({ name: 'archive_instance', arguments: args }));
    const plan_hash = /plan_hash: (\S+)/.exec(plan)?.[1];
    const done = await client.callTool({ name: 'archive_instance', arguments: { ...args, plan_hash } });
    expect(textOf(done)).toContain('Archived');
    expect(asked).toEqual([`Archive dangerous-${year} and remove its containers?`]);
    expect((await api().call('definitions.read', { params: { id } })).data.status).toBe('archived');
    await client.close();
  });
});

test('hortus mcp without a key says so and ends', async () => {
  const { code, stdout, stderr } = await hortus(home.path, ['mcp'], { env: { HORTUS_URL: url } });
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain('You are not signed in');
});

describe('hortus confirm', () => {
  const password = 'a password for the tests';

  async function requested(name: string, query: { container?: 'keep' } = {}) {
    const definitionId = await aDefinition(name);
    const body = {
      endpoint: 'definitions.archive',
      params: { id: definitionId },
      query,
      reason: 'unused\u001b[2J',
    } as const;
    return { definitionId, id: (await api().call('confirmations.create', { body })).data.id };
  }
  const confirm = async (replies: string[], argv: string[], interactive = true) => {
    const terminal = scriptedTerminal(replies, { interactive });
    const code = await run(['confirm', ...argv], scriptedWorld(terminal, { HORTUS_URL: url, HORTUS_KEY: service.key }));
    return { code, out: terminal.printed, err: terminal.noted };
  };
  const statusOf = async (id: string) => (await api().call('definitions.read', { params: { id } })).data.status;

  test('carries the call out after the person has signed in', async () => {
    const { id, definitionId } = await requested('to-confirm');
    const { code, out, err } = await confirm(['', password], [id]);
    expect({ code, out }).toEqual({ code: 0, out: `Confirmed and carried out: ${definitionId}.\n` });
    expect(err).toContain('Archive to-confirm and remove its containers\n');
    expect(err).toContain('It says: unused\n');
    expect(await statusOf(definitionId)).toBe('archived');
    const { data } = await api().call('confirmations.read', { params: { id } });
    expect(data.decided_by).toMatch(/^usr_/);
    expect((await confirm(['', password], [id])).code).toBe(2);
  });

  test('rejects', async () => {
    const { id, definitionId } = await requested('to-reject', { container: 'keep' });
    expect(await confirm(['root@example.org', password], [id, '--reject'])).toMatchObject({
      code: 0,
      out: 'It is rejected.\n',
      err: expect.stringContaining('container: "keep"\n'),
    });
    expect(await statusOf(definitionId)).not.toBe('archived');
  });

  test('needs a person: a program with the same key, or with a guess of the password, changes nothing', async () => {
    const { id, definitionId } = await requested('to-guard');
    expect(await confirm([], [id], false)).toMatchObject({ code: 2 });
    expect(await confirm(['', 'guessed'], [id])).toMatchObject({
      code: 3,
      err: expect.stringContaining('password is wrong'),
    });
    expect(await statusOf(definitionId)).not.toBe('archived');
  });
});
