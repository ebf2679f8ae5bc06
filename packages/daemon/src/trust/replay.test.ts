import { generateKeyPairSync } from 'node:crypto';
import { openLog } from '@hortus/logging/log';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Recipients, receive } from '../link/receive.ts';
import { labelsOf, ownerLabels } from '../plan/labels.ts';
import { request } from '../testing/actions.ts';
import { DaemonProcess, sleeper } from '../testing/daemon-process.ts';
import { id } from '../testing/signing.ts';
import { ConnectionOrders } from './connection-orders.ts';
import { readPublicKey } from './manifest-signature.ts';

// An attacker between service and daemon, who has recorded what the service sent and cannot sign: a proxy that terminates TLS, or
// the owner of a stolen database or replica.

let daemon: DaemonProcess;
/** A deployed instance. */
let uid: string;
beforeAll(async () => {
  daemon = await DaemonProcess.start({ killAt: 'discard finished' });
  const { service, serverId } = daemon;
  service.greeting = { server_id: serverId, capabilities: ['ack', 'wake', 'transfer', 'nonce'] };
  await daemon.connected();
  uid = daemon.server.newUid();
  expect(await daemon.reportOf(daemon.order(uid, [sleeper()]))).toMatchObject({ status: 'success' });
});
afterAll(() => daemon?.close());

/** Signs and sends an order; returns it as an attacker records it. */
function send(message: { type: string } & Record<string, unknown>): Record<string, unknown> & { type: string } {
  const { service } = daemon;
  const recorded = service.sign(service.bound(message));
  service.replay(recorded);
  return recorded;
}

const refusals = (words: string) => daemon.process.output.split(words).length - 1;

/** Sends what was recorded, and waits until it is refused for this reason. */
async function isRefused(words: string, replay: () => void): Promise<void> {
  const before = refusals(words);
  replay();
  await until(() => refusals(words) > before, { describe: () => `the refusal\n${daemon.process.output}` });
}

/** Drops the connection of the daemon and waits for the next one. */
async function reconnected(): Promise<void> {
  const { service } = daemon;
  const known = service.auths.length;
  service.hangUp();
  await until(() => service.auths.length > known, { describe: 'another connection' });
}

async function restarted(): Promise<void> {
  const known = daemon.service.auths.length;
  await daemon.kill();
  await until(() => daemon.service.auths.length > known, { describe: 'the restarted daemon' });
}

const isRunning = async () => {
  const containers = await daemon.server.engine.containers({ labels: { 'hortus.instance': uid } });
  return containers.some(({ state }) => state === 'running');
};

let streams = 0;
/** Opens a stream as the service does. */
async function openStream(kind: 'logs' | 'shell') {
  const stream_id = `stream-${++streams}`;
  const { service } = daemon;
  const known = service.streams.length;
  const opening = send({ type: 'stream_open', stream_id, ticket: 'ticket', kind, instance: uid });
  const socket = await until(() => service.streams[known], {
    describe: () => `the stream\n${daemon.process.output}`,
  });
  const messages: Record<string, unknown>[] = [];
  let isClosed = false;
  socket.on('message', (data, isBinary) => !isBinary && messages.push(JSON.parse(String(data))));
  socket.on('close', () => {
    isClosed = true;
  });
  return { stream_id, opening, socket, messages, isClosed: () => isClosed };
}

const shell = { tty: false, cols: 80, rows: 24, term: 'xterm', command: ['touch', '/tmp/entered'] };
const orderFor = (stream_id: string, more: object = {}) => {
  const { signer, serverId: server_id } = daemon;
  return signer.signed({ ...shell, type: 'stream_order', kind: 'shell', server_id, stream_id, ...more });
};

it('a recorded opening of a stream is refused on its connection, on a later one, and after kill -9', async () => {
  const { service } = daemon;
  const { opening, socket } = await openStream('logs');
  await isRefused('received before on this connection', () => service.replay(opening));
  // An altered number or nonce does not help: the signature covers them.
  await isRefused('not signed by the service', () => service.replay({ ...opening, order_number: 999 }));
  await reconnected();
  await isRefused('issued for another connection', () => service.replay(opening));
  await restarted();
  await isRefused('issued for another connection', () => service.replay(opening));
  expect(service.streams).toHaveLength(1);
  socket.terminate();
});

it('a shell runs nothing for an order that is unsigned, altered, forged or recorded from another shell', async () => {
  const earlier = await openStream('shell');
  const { signature, ...unsigned } = orderFor('any');
  const refused = [
    () => shell,
    () => unsigned,
    (stream_id: string) => ({ ...orderFor(stream_id), command: ['touch', '/tmp/altered'] }),
    (stream_id: string) => ({ ...shell, type: 'stream_order', kind: 'shell', stream_id, signature }),
    () => orderFor(earlier.stream_id),
    (stream_id: string) => orderFor(stream_id, { server_id: id('srv', 1) }),
  ];
  for (const order of refused) {
    const { stream_id, socket, messages, isClosed } = await openStream('shell');
    socket.send(JSON.stringify(order(stream_id)));
    await until(isClosed, { describe: () => `the end of the shell\n${daemon.process.output}` });
    expect(messages).toEqual([]);
  }
  earlier.socket.send(JSON.stringify(orderFor(earlier.stream_id)));
  await until(() => earlier.messages.some(({ type }) => type === 'exit'), { describe: 'the signed shell' });
  expect(earlier.messages).toEqual([
    { type: 'started', component: 'main' },
    { type: 'exit', code: 0 },
  ]);
});

it('output of an instance is not sent for an order that is unsigned or of another stream', async () => {
  for (const order of [{ mode: 'follow' }, { ...orderFor('other'), mode: 'follow' }]) {
    const { socket, messages, isClosed } = await openStream('logs');
    socket.send(JSON.stringify(order));
    await until(isClosed, { describe: 'the end of the stream' });
    expect(messages).toEqual([]);
  }
});

it('a recorded order to rotate the key or to update is refused on a later connection and after kill -9', async () => {
  const { service } = daemon;
  const release = { file: 'hortusd-linux-amd64', version: '9.0.0', sha256: '0'.repeat(64), signature: 'c2lnbmVk' };
  const update = { type: 'daemon_update', update_id: 'upd_1', path: '/implant/linux/amd64/download', size: 1, release };
  const recorded = [send({ type: 'rotate_key', api_key: 'hs_test_old' }), send(update)];
  await until(() => service.said('key_rotated').length === 1 && service.said('daemon_update_report').length === 1, {
    describe: 'both orders',
  });
  const current = send({ type: 'rotate_key', api_key: 'hs_test_new' });
  await until(() => service.said('key_rotated').length === 2, { describe: 'the second key' });
  for (const order of recorded) await isRefused('received before', () => service.replay(order));
  const next = async (change: () => Promise<void>) => {
    await change();
    for (const order of [...recorded, current]) await isRefused('another connection', () => service.replay(order));
    expect(service.auths.at(-1)?.api_key).toBe('hs_test_new');
  };
  await next(reconnected);
  await next(restarted);
  expect(service.said('key_rotated')).toHaveLength(2);
});

it('a recorded order to discard a volume runs once, also if the daemon is killed before it has reported', async () => {
  const { service, serverId, signer, server } = daemon;
  const { engine } = server;
  const definitionId = id('def', 7);
  const name = `${uid}-moved`;
  const labels = labelsOf({ serverId, uid: 'moved', definitionId });
  const make = () => engine.ensureVolume({ name, labels, owner: ownerLabels });
  const exists = async () => (await engine.volume(name)) !== undefined;
  const trf = id('trf');
  const discard = (nonce: string | null, more: object = {}) =>
    signer.signed({
      id: trf,
      role: 'receive',
      mode: 'discard',
      server_id: serverId,
      definition_id: definitionId,
      instance_uid: 'moved',
      volume: name,
      spool: `spool.${name}`,
      ...(nonce !== null && { nonce }),
      ...more,
    });
  const reports = () => service.callsTo('PATCH', `/transfers/${trf}`);
  const poll = () => service.replay({ type: 'transfer_available' });
  await make();
  let recorded: object = {};
  service.transfers = (nonce) => {
    recorded = discard(nonce);
    return [{ id: trf, order: recorded }];
  };
  poll();
  // The daemon is killed between the removal and its report. The volume is filled again by something else.
  await daemon.process.exited;
  expect(await exists()).toBe(false);
  expect(reports()).toEqual([]);
  await make();
  await daemon.died();
  await until(() => reports().length > 0, { describe: () => `the report\n${daemon.process.output}` });
  expect(reports()[0]?.body).toMatchObject({ status: 'completed', chunks: 0 });
  // The service offers it again, for example after it was restored from a backup: it is reported, and not carried out.
  const known = reports().length;
  poll();
  await until(() => reports().length > known, { describe: 'another report' });
  expect(await exists()).toBe(true);
  // A recorded order, one without a nonce as of an older service, and one under a new id that names the nonce of an earlier request.
  const earlier = service.callsTo('GET', '/transfers/pending').at(-1)?.query.get('nonce') ?? null;
  for (const order of [recorded, discard(null, { id: id('trf', 2) }), discard(earlier, { id: id('trf', 2) })]) {
    service.transfers = () => [{ id: (order as { id: string }).id, order }];
    await isRefused('transfer order rejected', poll);
  }
  await restarted();
  await isRefused('transfer order rejected', poll);
  expect(await exists()).toBe(true);
  service.transfers = () => [];
  await engine.removeVolume(name);
});

it('a member of a cluster does not lead by a message that is unsigned or recorded on another connection', async () => {
  const { service, signer, serverId } = daemon;
  const leads: unknown[] = [];
  const orders = new ConnectionOrders();
  const to = {
    log: openLog({ level: 'silent' }),
    identity: { publicKey: readPublicKey(signer.publicKey), serverId },
    journal: { keyPair: generateKeyPairSync('x25519') },
    channel: { orders },
    leadership: { received: (message: unknown) => leads.push(message) },
  } as unknown as Recipients;
  const message = {
    type: 'leadership' as const,
    member_id: 'cmb_1',
    leads: true,
    epoch: 2,
    lease_ms: 6_000,
    renewal: 1,
  };
  const bound = { ...message, connection_nonce: orders.nonce, order_number: 1 };
  receive(message, to);
  receive(bound, to);
  receive(service.sign({ ...bound, connection_nonce: new ConnectionOrders().nonce }) as typeof bound, to);
  expect(leads).toEqual([]);
  const signed = service.sign(bound) as typeof bound;
  receive(signed, to);
  receive(signed, to);
  expect(leads).toHaveLength(1);
});

it('a recorded deployment does not bring back an instance that was released', async () => {
  const { service, server, signer } = daemon;
  expect(await isRunning()).toBe(true);
  const deployment = [...service.manifests.keys()][0] ?? '';
  const recorded = signer.signFor(service.manifests.get(deployment), 'nonce-of-the-first-request');
  const release = request('hortus.release', [], {}, uid);
  send({ type: 'action_request', ...release, action: { ...release.action, type: 'builtin' } });
  expect(await daemon.resultOf(release.execution_id)).toMatchObject({ type: 'action_completed' });
  expect(await isRunning()).toBe(false);
  // Under another id the daemon does not remember that it has finished it.
  service.signFor = (manifest) => manifest;
  const again = daemon.prepare(uid, [sleeper()]);
  service.manifests.set(again, recorded);
  daemon.offer(again);
  expect(await daemon.reportOf(again)).toMatchObject({ status: 'failed', reason: 'replay' });
  const unbound = daemon.prepare(uid, [sleeper()]);
  daemon.offer(unbound);
  const report = await daemon.reportOf(unbound);
  expect(report).toMatchObject({ status: 'failed', reason: 'replay' });
  expect(JSON.stringify(report)).toContain('another request');
  expect(await server.engine.containers({ labels: { 'hortus.instance': uid } })).toEqual([]);
});
