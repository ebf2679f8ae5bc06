import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@hortus/client/client';
import { hortusInTerminal } from '@hortus/testkit/pseudo-terminal';
import { startReceiver } from '@hortus/testkit/receiver';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../run.ts';
import { type RealService, startRealService } from '../testing/real-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: RealService;
let client: Client;
let env: { HORTUS_URL: string; HORTUS_KEY: string };

beforeAll(async () => {
  service = await startRealService({ HORTUS_WEBHOOK_ALLOW_PRIVATE: 'true' });
  env = { HORTUS_URL: `${service.address}/api/v1`, HORTUS_KEY: service.key };
  client = createClient({ baseUrl: env.HORTUS_URL, key: service.key });
}, 200_000);
afterAll(() => service?.stop());

/** Starts the command in this process; `stop` interrupts it. */
async function listen(...argv: string[]) {
  const interrupt = new AbortController();
  const terminal = scriptedTerminal([], { interactive: false });
  const world = { ...scriptedWorld(terminal, env), interrupted: () => interrupt.signal };
  const ended = run(['webhooks', 'listen', '--port', '0', ...argv], world);
  const address = () => /Listening on (\S+)/.exec(terminal.noted)?.[1];
  await Promise.race([until(() => address() !== undefined, { describe: 'the address' }), ended]);
  return {
    terminal,
    ended,
    address: address() ?? '',
    stop: async () => {
      interrupt.abort();
      return await ended;
    },
  };
}
const webhooks = async () => (await client.call('webhooks.list')).data;
const post = async (address: string, body: string, headers: Record<string, string> = {}) =>
  (await fetch(address, { method: 'POST', body, headers })).status;

test('a registered listener shows verified events, forwards the same bytes, and removes its webhook at the end', {
  timeout: 120_000,
}, async () => {
  await using receiver = await startReceiver();
  const listener = await listen('--register', '--event', 'definition.created', '--forward', receiver.url, '--json');
  await until(() => listener.terminal.noted.includes('Events are sent'), { describe: 'the registration' });
  const server = (await client.call('servers.register', { body: { name: 'web-1', environment: 'staging' } })).data;
  const inputs = { WEB_HOSTNAME: 'listened.example.org' };
  const body = { species: 'static-site', instance_uid: 'listened', server_id: server.id, inputs };
  await client.call('definitions.create', { body });
  const delivered = await receiver.waitFor((request) => request.body.includes('listened'), { within: 60_000 });
  expect(delivered.headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
  const lines = () =>
    listener.terminal.printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  await until(() => listener.terminal.printed.includes('listened'), { describe: 'the event' });
  expect(lines().at(-1)).toMatchObject({ event: 'definition.created', verified: true, forwarded: 200 });
  expect(await webhooks()).toHaveLength(1);
  expect(await listener.stop()).toBe(130);
  expect(await webhooks()).toEqual([]);
  await expect(fetch(listener.address)).rejects.toThrow();
});

test('Ctrl-C in a terminal removes the webhook', { timeout: 120_000 }, async () => {
  const terminal = hortusInTerminal(['webhooks', 'listen', '--register', '--port', '0'], env);
  await terminal.shows('until you press Ctrl-C');
  expect(await webhooks()).toHaveLength(1);
  terminal.type('\u0003');
  expect(await terminal.code).toBe(130);
  expect(terminal.text()).toContain('The webhook is removed.');
  expect(await webhooks()).toEqual([]);
});

test('a wrong or missing signature is refused with 403 and not forwarded', async () => {
  await using folder = temporaryFolder('secret');
  await using receiver = await startReceiver();
  const file = join(folder.path, 'secret');
  writeFileSync(file, 'a long secret\n');
  const listener = await listen('--secret-file', file, '--forward', receiver.url, '--brief');
  const sign = (body: string) => createHmac('sha256', 'a long secret').update(body).digest('hex');
  expect(await post(listener.address, '{}', { 'x-service-signature': sign('{"a":1}') })).toBe(403);
  expect(await post(listener.address, '{}')).toBe(403);
  expect(receiver.requests).toEqual([]);
  expect(await post(listener.address, '{}', { 'x-service-signature': sign('{}'), 'x-service-event': 'a\u00adb' })).toBe(
    200,
  );
  expect(receiver.requests).toHaveLength(1);
  receiver.respond({ status: 503 });
  expect(await post(listener.address, '{}', { 'x-service-signature': sign('{}') })).toBe(503);
  expect(await post(listener.address, 'x'.repeat(2 ** 20 + 1)).catch(() => 413)).toBe(413);
  expect((await fetch(listener.address)).status).toBe(405);
  await listener.stop();
  expect(listener.terminal.printed).toMatch(
    /wrong signature, refused\n.*wrong signature, refused\n.*verified {2}forwarded: 200\n/,
  );
  expect(listener.terminal.printed).not.toContain('a long secret');
});

test('--count ends the command after that many deliveries', async () => {
  const listener = await listen('--count', '2');
  expect(await post(listener.address, '{"n":1}')).toBe(200);
  expect(await post(listener.address, 'no json\u001b[2J')).toBe(200);
  expect(await listener.ended).toBe(0);
  expect(listener.terminal.printed).toContain('signature not checked');
  expect(listener.terminal.printed).toContain('"n": 1');
  expect(listener.terminal.printed).not.toContain('\u001b');
});

test('a service that cannot reach the listener is named as the cause, and no webhook remains', async () => {
  const unreachable = await listen('--register', '--url', 'http://127.0.0.1:9/');
  expect(await unreachable.ended).toBe(1);
  expect(unreachable.terminal.noted).toContain('The service cannot reach http://127.0.0.1:9/');
  expect(unreachable.terminal.noted).toContain('--url');
  expect(await webhooks()).toEqual([]);
  const everywhere = await listen('--register', '--host', '0.0.0.0');
  expect(await everywhere.ended).toBe(2);
});

test('a port in use is reported', async () => {
  const first = await listen();
  const port = new URL(first.address).port;
  const terminal = scriptedTerminal([], { interactive: false });
  expect(await run(['webhooks', 'listen', '--port', port], scriptedWorld(terminal, env))).toBe(2);
  expect(terminal.noted).toContain('the port is in use');
  await first.stop();
});
