import { DEFAULT_LOG, DEFAULT_PIDS, DROPPED_CAPABILITIES } from '@hortus/contract/template/container-defaults';
import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imagesOf } from '../drift/images.ts';
import { instanceDrift } from '../drift/instance-drift.ts';
import { readActual } from '../instances/read-actual.ts';
import { desiredState } from '../plan/desired.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { id } from '../testing/signing.ts';
import { image, TestServer } from './testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

const plain = { image, command: ['sleep', '100000'], init: true, stop_grace_period_ms: 0 };
/** A component with default limits, as the service sends it today. */
const limited = (overrides: Partial<ManifestComponent> = {}) =>
  component('main', {
    ...plain,
    resources: { pids: DEFAULT_PIDS },
    logging: { ...DEFAULT_LOG, by_default: true },
    confinement: { seccomp: 'default', apparmor: 'default', no_new_privileges: true },
    capabilities: { add: [], drop: [...DROPPED_CAPABILITIES] },
    ...overrides,
  });
/** A component without limits, as older services sent it. */
const unlimited = () => component('main', plain);

async function deploy(wanted: ManifestComponent, uid = server.newUid()): Promise<string> {
  expect(await server.deploy(uid, [wanted])).toMatchObject({ status: 'success' });
  return uid;
}

async function driftOf(uid: string, wanted: ManifestComponent) {
  const [own] = await server.engine.containers({ labels: { 'hortus.instance': uid } });
  const identity = {
    deploymentId: own?.labels['hortus.deployment'] ?? '',
    definitionId: id('def'),
    revision: Number(own?.labels['hortus.revision']),
    serverId: server.id,
  };
  const desired = desiredState({ ...identity, manifest: manifest(uid, [wanted]) });
  const reading = await readActual(server.engine, server.id, desired, []);
  const images = await imagesOf(server.engine, own ? [own.imageId] : []);
  const { cpus, limitsPids } = await server.engine.info();
  return instanceDrift(desired, reading, { cpus, limitsPids, images, deployed: [] });
}

/** Capability bits by kernel number. */
const bits = { MKNOD: 27n, AUDIT_WRITE: 29n, NET_RAW: 13n, SETFCAP: 31n };

it('a container can neither gain privileges nor create devices, raw sockets or file capabilities', async () => {
  const uid = await deploy(limited());
  const status = await server.run(uid, 'cat', '/proc/1/status');
  expect(status).toMatch(/NoNewPrivs:\s+1/);
  const bounding = BigInt(`0x${/CapBnd:\s+([0-9a-f]+)/.exec(status)?.[1]}`);
  for (const name of DROPPED_CAPABILITIES) expect((bounding >> bits[name]) & 1n, name).toBe(0n);
  // CHOWN, which is not dropped.
  expect(bounding & 1n).toBe(1n);
});

it('a fork bomb stays within the limit of its container', async () => {
  const uid = await deploy(limited({ resources: { pids: 40 } }));
  const bomb = 'i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i+1)); done; echo all';
  const said = await server.run(uid, 'sh', '-c', bomb);
  expect(said).toMatch(/can't fork|Resource temporarily unavailable/);
  expect((await server.inspect(uid)).HostConfig).toMatchObject({ PidsLimit: 40 });
});

it('the log of a container is limited', async () => {
  const uid = await deploy(limited());
  expect((await server.inspect(uid)).HostConfig.LogConfig).toEqual({
    Type: 'json-file',
    Config: { 'max-size': '10485760', 'max-file': '3' },
  });
});

it('a template can raise the limits', async () => {
  const uid = await deploy(
    limited({
      resources: { pids: 20_000 },
      confinement: { seccomp: 'default', apparmor: 'default', no_new_privileges: false, new_privileges: true },
      capabilities: { add: ['NET_RAW'], drop: ['AUDIT_WRITE', 'MKNOD', 'SETFCAP'] },
    }),
  );
  const status = await server.run(uid, 'cat', '/proc/1/status');
  expect(status).toMatch(/NoNewPrivs:\s+0/);
  const bounding = BigInt(`0x${/CapBnd:\s+([0-9a-f]+)/.exec(status)?.[1]}`);
  expect((bounding >> bits.NET_RAW) & 1n).toBe(1n);
  expect((await server.inspect(uid)).HostConfig).toMatchObject({ PidsLimit: 20_000 });
});

it('a container without limits shows no drift, and the next deployment adds them', async () => {
  const uid = await deploy(unlimited());
  expect(await driftOf(uid, unlimited())).toEqual([]);
  const { Id } = await server.inspect(uid);
  await deploy(unlimited(), uid);
  expect(await server.inspect(uid)).toMatchObject({ Id });
  await deploy(limited(), uid);
  expect((await server.inspect(uid)).HostConfig).toMatchObject({ PidsLimit: DEFAULT_PIDS });
  expect(await driftOf(uid, limited())).toEqual([]);
});
