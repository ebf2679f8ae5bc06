import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { TRANSFER_PROTOCOL, transferPath } from '@hortus/contract/protocol/transfer';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, test } from 'vitest';
import { limits, serve } from '../http/testing/serve.ts';
import { Upgrades } from '../http/upgrades.ts';
import { unauthorized } from '../problem.ts';
import { guardWith } from '../process/guard.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { Relay, type Role } from './relay.ts';
import { TransferUpgrades } from './transfer-upgrades.ts';

const roles: Readonly<Record<string, Role>> = { srv_from: 'send', srv_to: 'receive' };
const statuses: Readonly<Record<string, number>> = { NOT_FOUND: 404, UNAUTHORIZED: 401, VALIDATION_ERROR: 422 };
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0).reverse()) close();
});

/** Replicas that share where transfers meet, as they do by their database. Every name that begins with `srv_` is a key. */
class Replicas {
  readonly places = new Map<string, string>();
  /** Transfers that a replica failed, with the errors. */
  readonly failed: [transfer: string, error: string][] = [];

  async open() {
    const log = new QuietLog();
    const relay = new Relay(guardWith(log));
    const upgrades = new Upgrades(guardWith(log));
    const server = createServer({ shouldUpgradeCallback: upgrades.takes });
    upgrades.listenTo(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const door = new TransferUpgrades({
      relay,
      upgrades,
      refuse: (socket, { code }) => socket.end(`HTTP/1.1 ${statuses[code] ?? 500} No\r\n\r\n`),
      addressOf: () => 'here',
      authenticate: async (key) => {
        if (!key.startsWith('srv_')) throw unauthorized();
        return { kind: 'server', serverId: key, accountId: 'acc_a', plan: 'free' };
      },
      roleOf: async (who, id) => (id === 'trf_1' && who.kind === 'server' ? roles[who.serverId] : undefined),
      fail: async (_principal, id, { error }) => void this.failed.push([id, error]),
      meetAt: async (id, own, instead) => {
        if (!this.places.has(id) || this.places.get(id) === instead) this.places.set(id, own);
        return this.places.get(id) ?? own;
      },
      ownUrl: () => url,
      log,
    });
    const close = () => {
      door.close();
      server.closeAllConnections();
      server.close();
    };
    opened.push(close);
    return { url, relay, close };
  }
}

interface Asked {
  readonly transfer?: string;
  readonly protocol?: string;
}

function end(url: string, key: string, { transfer = 'trf_1', protocol = TRANSFER_PROTOCOL }: Asked = {}) {
  const headers = { connection: 'Upgrade', upgrade: protocol, authorization: `Bearer ${key}` };
  const asking = request(`${url}${transferPath}?transfer_id=${transfer}`, { headers, agent: false });
  const open = Promise.withResolvers<Socket>();
  let received = '';
  let refused = '';
  asking.on('upgrade', (_response, socket: Socket, head: Buffer) => {
    received += head;
    socket.on('data', (data) => {
      received += data;
    });
    socket.on('error', () => undefined);
    open.resolve(socket);
  });
  asking.on('response', (response) => {
    refused = String(response.statusCode);
    response.resume();
  });
  asking.on('error', (error) => {
    refused = error.message;
  });
  asking.end();
  opened.push(() => asking.destroy());
  const say = (text: string) => open.promise.then((socket) => socket.write(text));
  return { say, received: () => received, refused: () => refused };
}

test('two ends at different replicas are connected at the replica of the first', async () => {
  const replicas = new Replicas();
  const [a, b] = [await replicas.open(), await replicas.open()];
  const sender = end(a.url, 'srv_from');
  sender.say('from');
  await until(() => replicas.places.get('trf_1') === a.url, { describe: 'the first to come' });
  const receiver = end(b.url, 'srv_to');
  receiver.say('to');
  await until(() => sender.received() === 'to' && receiver.received() === 'from', {
    describe: 'both to hear each other',
  });
  expect([a.relay.carried, b.relay.carried]).toEqual([6, 0]);
});

test('a dead replica is not waited for: the ends are connected at the next one', async () => {
  const replicas = new Replicas();
  const [a, b] = [await replicas.open(), await replicas.open()];
  replicas.places.set('trf_1', a.url);
  a.close();
  const [sender, receiver] = [end(b.url, 'srv_from'), end(b.url, 'srv_to')];
  sender.say('over here');
  await until(() => receiver.received() === 'over here', { describe: 'them to meet' });
  expect(replicas.places.get('trf_1')).toBe(b.url);
});

test('callers that are not an end of the transfer are refused', async () => {
  const { url } = await new Replicas().open();
  const unauthenticated = [end(url, 'hk_live_1'), end(url, 'srv_another'), end(url, 'srv_from', { transfer: 'trf_2' })];
  await until(() => unauthenticated.every(({ refused }) => refused() !== ''), { describe: 'all to be refused' });
  expect(unauthenticated.map(({ refused }) => refused())).toEqual(['401', '404', '404']);
});

test('a wrong key counts against the limit of its address', async () => {
  await using service = await serve({ config: { rateLimits: { ...limits, anonymous: 1 } } });
  const log = new QuietLog();
  const door = new TransferUpgrades({
    relay: new Relay(guardWith(log)),
    upgrades: service.http.upgrades,
    refuse: service.http.refuse,
    addressOf: () => '127.0.0.1',
    authenticate: service.http.authenticate,
    roleOf: async () => undefined,
    fail: async () => undefined,
    meetAt: async (_id, own) => own,
    ownUrl: () => service.url,
    log,
  });
  opened.push(() => door.close());
  const refused = (key: string) => {
    const outsider = end(service.url, key);
    return until(() => outsider.refused(), { describe: 'the transfer to be refused' });
  };
  expect(await refused('wrong')).toContain('401');
  expect(await refused('wrong')).toContain('429');
  expect((await service.fetch('/api/v1/templates')).status).toBe(429);
  // A valid key is not limited by the failures of others at its address.
  expect(await refused('daemon')).toContain('404');
});

test('an end of the version before is refused, and its transfer fails with the advice to update', async () => {
  const replicas = new Replicas();
  const { url } = await replicas.open();
  const old = end(url, 'srv_to', { protocol: 'websocket' });
  expect(await until(() => old.refused(), { describe: 'the end to be refused' })).toBe('422');
  expect(replicas.failed).toEqual([
    ['trf_1', expect.stringMatching(/hortusd of the target server is too old.*Update/)],
  ]);
  const outsider = end(url, 'srv_another', { protocol: 'websocket' });
  await until(() => outsider.refused() === '404', { describe: 'another server to be refused' });
  expect(replicas.failed).toHaveLength(1);
});
