import { until } from '@hortus/testkit/until';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { signedIn } from '../testing/good-requests/identity.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { type Caller, insertKeyRow, publicUrl, type RunningService, startApp } from '../testing/running-service.ts';

const modern: ClientOptions = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const legacy: ClientOptions = {};

const mcpUrl = ({ base }: Caller) => new URL('/mcp', base);

async function connect(caller: Caller, options: ClientOptions = modern, key = caller.key): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(mcpUrl(caller), { requestInit }));
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  const text = (result.content as { text: string }[]).map((part) => part.text).join('\n');
  return { text, failed: result.isError === true, hash: /plan_hash: (sha256:\w+)/.exec(text)?.[1] ?? '' };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const post = (caller: Caller, headers: Record<string, string>, body: unknown = initialize, signal?: AbortSignal) =>
  fetch(mcpUrl(caller), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

onBothEngines((engine) => {
  let service: RunningService;
  let neighbour: Caller;

  beforeAll(async () => {
    service = await startApp(engine);
    neighbour = await service.addAccount();
  });

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const aDefinition = async (caller: Caller) => {
    const { body } = await goodRequest('confirmations.create', caller);
    const { id } = (body as { params: { id: string } }).params;
    return (await caller.client.call('definitions.read', { params: { id } })).data;
  };

  it.each([
    ['2026', modern],
    ['2025', legacy],
  ])('clients of the protocol of %s list and call tools', async (_, options) => {
    const client = await connect(service, options);
    expect((await client.listTools()).tools.length).toBeGreaterThan(20);
    const { text } = await call(client, 'search_catalog', { query: 'inkwell' });
    expect(text).toContain('inkwell (blog)');
    await client.close();
    expect(service.errors).toEqual([]);
  });

  it('the service plans and orders a deployment with the hash of its plan only', async () => {
    const client = await connect(service);
    const { instance_uid, id } = await aDefinition(service);
    const deployments = async () =>
      (await service.client.call('deployments.list', { query: { definition_id: id } })).data.length;
    const planned = await call(client, 'deploy', { instance: instance_uid });
    expect(planned.text).toContain(`deploy revision 1 of ${instance_uid} for the first time`);
    expect(planned.text).not.toContain('hunter2hunter2');
    expect((await call(client, 'deploy', { instance: instance_uid, plan_hash: 'sha256:0' })).failed).toBe(true);
    expect(await deployments()).toBe(0);
    const deploy = () => call(client, 'deploy', { instance: instance_uid, plan_hash: planned.hash });
    const ordered = await Promise.all([deploy(), deploy(), deploy()]);
    expect(ordered.map(({ text }) => text).join()).toMatch(/Ordered dep_/);
    expect(await deployments()).toBe(1);
    // A hash is good for one change.
    expect((await deploy()).failed).toBe(true);
    expect(await deployments()).toBe(1);
  });

  describe('refuses', () => {
    it('a caller without a valid API key', async () => {
      expect((await post(service, {})).status).toBe(401);
      expect((await post(service, bearer(`hk_live_${'b'.repeat(43)}`))).status).toBe(401);
      expect((await fetch(mcpUrl(service))).status).toBe(401);
    });

    it('a server key and a session', async () => {
      const { data } = await service.client.call('servers.register', { body: { name: 'x', environment: 'staging' } });
      expect((await post(service, bearer(data.api_key))).status).toBe(403);
      expect((await post(service, await signedIn(service))).status).toBe(403);
    });

    it('a page of another origin, even with a valid key', async () => {
      const headers = bearer(service.key);
      expect((await post(service, { ...headers, origin: 'https://evil.example' })).status).toBe(403);
      expect((await post(service, { ...headers, origin: 'null' })).status).toBe(403);
      expect((await post(service, { ...headers, origin: publicUrl })).status).toBe(200);
    });

    it('streams, ends of sessions and subscriptions, because a request leaves nothing behind', async () => {
      const headers = { ...bearer(service.key), accept: 'text/event-stream' };
      expect((await fetch(mcpUrl(service), { headers })).status).toBe(405);
      expect((await fetch(mcpUrl(service), { method: 'DELETE', headers })).status).toBe(405);
      const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: {} } };
      const handle = await post(service, headers, listen);
      expect(await handle.text()).toContain('error');
    });

    it('bodies that are too large, malformed or no message', async () => {
      const headers = bearer(service.key);
      expect((await post(service, headers, { ...initialize, filler: 'x'.repeat(300_000) })).status).toBe(422);
      expect(
        (
          await post(
            service,
            headers,
            Array.from({ length: 5_000 }, () => 1),
          )
        ).status,
      ).toBe(422);
      for (const body of [null, 1, 'text', [], {}, { jsonrpc: '2.0' }])
        expect((await post(service, headers, body)).status, JSON.stringify(body)).toBeLessThan(500);
      expect(service.errors).toEqual([]);
    });
  });

  it('a key without a permission is told which one, and changes nothing', async () => {
    const { instance_uid, id } = await aDefinition(service);
    const permissions = JSON.stringify(['definitions:read', 'deployments:read']);
    const key = await insertKeyRow(service.database, { account_id: service.accountId, permissions });
    const client = await connect(service, modern, key);
    const planned = await call(client, 'deploy', { instance: instance_uid });
    const refused = await call(client, 'deploy', { instance: instance_uid, plan_hash: planned.hash });
    expect(refused).toMatchObject({ failed: true, text: 'FORBIDDEN: This needs the permission deployments:execute.' });
    expect((await call(client, 'list_servers', {})).text).toContain('servers:read');
    const { data } = await service.client.call('deployments.list', { query: { definition_id: id } });
    expect(data).toEqual([]);
  });

  it('a key does not see or change what belongs to another account', async () => {
    const { instance_uid, id } = await aDefinition(service);
    const client = await connect(neighbour);
    for (const instance of [instance_uid, id]) {
      expect((await call(client, 'deploy', { instance })).failed).toBe(true);
      expect((await call(client, 'archive_instance', { instance })).failed).toBe(true);
    }
    expect((await call(client, 'list_events', {})).text).not.toContain(id);
  });

  describe('a dangerous call', () => {
    const archived = async (id: string) =>
      (await service.client.call('definitions.read', { params: { id } })).data.status === 'archived';

    it('waits for a person, whom the key of the model cannot replace', async () => {
      const { instance_uid: instance, id } = await aDefinition(service);
      const client = await connect(service);
      const { hash } = await call(client, 'archive_instance', { instance });
      const waiting = await call(client, 'archive_instance', { instance, plan_hash: hash });
      const confirmation = /cnf_\w{26}/.exec(waiting.text)?.[0] as string;
      expect(waiting.text).toContain(`${publicUrl}/confirmations/${confirmation}`);
      const path = `/confirmations/${confirmation}/confirm`;
      expect((await service.request('POST', path)).status).toBe(403);
      expect((await call(client, 'show_progress', { id: confirmation })).text).toContain('waiting for a person');
      expect(await archived(id)).toBe(false);
      const headers = await signedIn(service);
      expect((await service.request('POST', path, { headers, key: null })).json.data).toMatchObject({ status: 'done' });
      expect(await archived(id)).toBe(true);
      expect((await call(client, 'show_progress', { id: confirmation })).text).toContain('carried out');
    });

    it('can be requested by a key that may not make it itself', async () => {
      const { instance_uid: instance, id } = await aDefinition(service);
      const permissions = JSON.stringify(['definitions:read', 'confirmations:request']);
      const key = await insertKeyRow(service.database, { account_id: service.accountId, permissions, name: 'model' });
      const client = await connect(service, modern, key);
      const { hash } = await call(client, 'archive_instance', { instance });
      const { text } = await call(client, 'archive_instance', { instance, plan_hash: hash });
      const confirmation = /cnf_\w{26}/.exec(text)?.[0] as string;
      const headers = await signedIn(service);
      const { json } = await service.request('POST', `/confirmations/${confirmation}/confirm`, { headers, key: null });
      expect(json.data).toMatchObject({ status: 'done', requested_by_name: 'model', result_id: id });
      expect(await archived(id)).toBe(true);
    });

    it('is carried out after a confirmation in the client, once for each plan', async () => {
      const { instance_uid: instance, id } = await aDefinition(service);
      const client = await connect(service, { ...modern, capabilities: { elicitation: { form: {} } } });
      let asked = 0;
      client.setRequestHandler('elicitation/create', () => {
        asked++;
        return { action: 'accept', content: { confirm: true } };
      });
      const { hash } = await call(client, 'archive_instance', { instance });
      expect(await archived(id)).toBe(false);
      expect((await call(client, 'archive_instance', { instance, plan_hash: hash })).text).toContain('Archived');
      expect(asked).toBe(1);
      expect(await archived(id)).toBe(true);
    });
  });

  if (engine.name === 'postgres')
    it('every request may go to another replica, also the answer of a person', async () => {
      const replica = await startApp(engine, {}, service.testDatabase);
      const addresses = [mcpUrl(service), mcpUrl(replica)];
      let requests = 0;
      const client = new Client(
        { name: 'test', version: '1' },
        { ...modern, capabilities: { elicitation: { form: {} } } },
      );
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
      const alternating: typeof fetch = (_, init) => fetch(addresses[requests++ % 2] as URL, init);
      const requestInit = { headers: bearer(service.key) };
      await client.connect(new StreamableHTTPClientTransport(mcpUrl(service), { requestInit, fetch: alternating }));
      const { instance_uid: instance, id } = await aDefinition(service);
      const { hash } = await call(client, 'archive_instance', { instance });
      expect((await call(client, 'archive_instance', { instance, plan_hash: hash })).text).toContain('Archived');
      expect((await service.client.call('definitions.read', { params: { id } })).data.status).toBe('archived');
      expect(requests).toBeGreaterThan(3);
    });

  it('a flood of new clients leaves no session behind', async () => {
    const responses = await Promise.all(Array.from({ length: 200 }, () => post(service, bearer(service.key))));
    for (const handle of responses) {
      expect([200, 429]).toContain(handle.status);
      expect(handle.headers.get('mcp-session-id')).toBeNull();
      await handle.text();
    }
    expect((await post(service, bearer(service.key))).status).toBe(200);
  });

  it('an account has at most 32 calls at a time, which end with their connections and hinder no other account', async () => {
    const { id: definition_id } = await aDefinition(service);
    const { id } = (await service.client.call('deployments.execute', { body: { definition_id } })).data;
    const wait = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'show_progress', arguments: { id, wait_seconds: 25 } },
    };
    const leaving = new AbortController();
    let [refused, ended] = [0, 0];
    const waits = Array.from({ length: 40 }, async () => {
      const handle = await post(service, bearer(service.key), wait, leaving.signal).catch(() => undefined);
      if (handle?.status === 429) refused++;
      else ended++;
    });
    await until(() => refused === 8, { describe: 'the calls beyond 32 to be refused' });
    expect(ended).toBe(0);
    expect((await post(neighbour, bearer(neighbour.key))).status).toBe(200);
    leaving.abort();
    await Promise.all(waits);
    const again = async () => (await post(service, bearer(service.key))).status;
    await until(async () => (await again()) === 200, { describe: 'the account to be served again' });
  });

  it('a batch is refused, because its calls would count as one', async () => {
    const calls = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} }));
    const handle = await post(service, bearer(service.key), calls);
    expect(handle.status).toBe(422);
    expect(await handle.json()).toMatchObject({
      error: { message: 'body: must be one message; batches are not accepted.' },
    });
  });

  it('calls of tools count for the rate limit of the account', async () => {
    const limits = { free: 5, pro: 5, enterprise: 5, anonymous: 1_000, server: 1_000 };
    const limited = await startApp(engine, { rateLimits: limits });
    const client = await connect(limited);
    const texts = [];
    for (let calls = 0; calls < 4; calls++) {
      const handle = await call(client, 'list_servers', {}).catch((error: Error) => ({ text: error.message }));
      texts.push(handle.text);
    }
    expect(texts.join()).toMatch(/More than 5 requests in this minute/);
  });
});
