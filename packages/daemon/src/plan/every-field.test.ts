import { Component } from '@hortus/contract/template/component';
import { DECLARED_KINDS, REFUSED_KINDS } from '@hortus/contract/template/host-access';
import type { Template } from '@hortus/contract/template/schema';
import { canonical } from '@hortus/template/canonical/canonical';
import { resolve } from '@hortus/template/resolution/resolve';
import { parse } from '@hortus/template/source/parse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imagesOf } from '../drift/images.ts';
import { instanceDrift } from '../drift/instance-drift.ts';
import { readActual } from '../instances/read-actual.ts';
import { type InspectedContainer, image, TestServer } from '../rollout/testing/server.ts';
import { id } from '../testing/signing.ts';
import { desiredState } from './desired.ts';
import { manifest } from './testing/manifests.ts';

/** Part of the engine's response that a template field decides. */
type Reported = (response: Inspected) => unknown;
interface Inspected extends InspectedContainer {
  HostConfig: Record<string, unknown> & { Mounts: Record<string, unknown>[]; DeviceRequests: unknown };
}

/**
 * Field as written in a template and the expected `docker inspect`. Host access has its own table, because it cannot
 * run here.
 */
const ordinary: Record<string, [written: string, reported: Reported, expected: unknown]> = {
  env: ['{GREETING: "a $ # \\" b"}', ({ Config }) => Config.Env, expect.arrayContaining(['GREETING=a $ # " b'])],
  entrypoint: ['[sh, -c]', ({ Config }) => Config.Entrypoint, ['sh', '-c']],
  command: ['["exec sleep 1000"]', ({ Config }) => Config.Cmd, ['exec sleep 1000']],
  user: ['1000:1000', ({ Config }) => Config.User, '1000:1000'],
  group_add: ['["44", user]', ({ HostConfig }) => HostConfig.GroupAdd, ['44', 'user']],
  working_dir: ['/tmp', ({ Config }) => Config.WorkingDir, '/tmp'],
  storage: [
    '[{name: data, mount_path: /data, read_only: true}]',
    ({ HostConfig }) => HostConfig.Mounts,
    expect.arrayContaining([
      expect.objectContaining({
        Type: 'volume',
        Source: expect.stringMatching(/_data$/),
        Target: '/data',
        ReadOnly: true,
      }),
    ]),
  ],
  ports: ['[{container_port: 7000}]', ({ Config }) => Config.ExposedPorts, { '7000/tcp': {} }],
  healthcheck: [
    '{test: ["true"], interval: 1s, timeout: 2s, retries: 4, start_period: 3s}',
    ({ Config }) => Config.Healthcheck,
    { Test: ['CMD', 'true'], Interval: 1e9, Timeout: 2e9, StartPeriod: 3e9, Retries: 4 },
  ],
  resources: [
    '{cpu: 500m, memory: 64Mi, memory_reservation: 32Mi, pids: 50}',
    ({ HostConfig: { NanoCpus, Memory, MemoryReservation, PidsLimit } }) => [
      NanoCpus,
      Memory,
      MemoryReservation,
      PidsLimit,
    ],
    [5e8, 2 ** 26, 2 ** 25, 50],
  ],
  tmpfs: [
    '[{mount_path: /scratch, size: 1Mi}]',
    ({ HostConfig }) => HostConfig.Mounts,
    expect.arrayContaining([
      expect.objectContaining({ Type: 'tmpfs', Target: '/scratch', TmpfsOptions: { SizeBytes: 2 ** 20 } }),
    ]),
  ],
  shm_size: ['32Mi', ({ HostConfig }) => HostConfig.ShmSize, 2 ** 25],
  ulimits: [
    '{nofile: 1024, core: {soft: 0, hard: 1}}',
    ({ HostConfig }) => HostConfig.Ulimits,
    expect.arrayContaining([
      { Name: 'nofile', Soft: 1024, Hard: 1024 },
      { Name: 'core', Soft: 0, Hard: 1 },
    ]),
  ],
  capabilities: [
    '{add: [NET_BIND_SERVICE], drop: [ALL]}',
    ({ HostConfig: { CapAdd, CapDrop } }) => [CapAdd, CapDrop].flat().map((name) => String(name).replace('CAP_', '')),
    ['NET_BIND_SERVICE', 'ALL'],
  ],
  extra_hosts: ['{printer: 192.0.2.7}', ({ HostConfig }) => HostConfig.ExtraHosts, ['printer:192.0.2.7']],
  dns: ['[192.0.2.53]', ({ HostConfig }) => HostConfig.Dns, ['192.0.2.53']],
  logging: [
    '{max_size: 1Mi, max_files: 2}',
    ({ HostConfig }) => HostConfig.LogConfig,
    { Type: 'json-file', Config: { 'max-size': '1048576', 'max-file': '2' } },
  ],
  restart: [
    'on-failure',
    ({ HostConfig }) => HostConfig.RestartPolicy,
    expect.objectContaining({ Name: 'on-failure' }),
  ],
  confinement: [
    '{no_new_privileges: true}',
    ({ HostConfig }) => HostConfig.SecurityOpt,
    expect.arrayContaining([expect.stringContaining('no-new-privileges')]),
  ],
  read_only: ['true', ({ HostConfig }) => HostConfig.ReadonlyRootfs, true],
  init: ['true', ({ HostConfig }) => HostConfig.Init, true],
  tty: ['true', ({ Config }) => Config.Tty, true],
  stdin: ['true', ({ Config }) => Config.OpenStdin, true],
  aliases: [
    '[former-name]',
    ({ Name, NetworkSettings }) => NetworkSettings.Networks[`hortus-${Name.slice(1)}`]?.Aliases,
    expect.arrayContaining(['former-name']),
  ],
  hostname: ['web-host', ({ Config }) => Config.Hostname, 'web-host'],
  sysctls: [
    '{net.core.somaxconn: 512}',
    ({ HostConfig }) => HostConfig.Sysctls,
    expect.objectContaining({ 'net.core.somaxconn': '512' }),
  ],
  labels: ['{org.example.zone: north}', ({ Config }) => Config.Labels['org.example.zone'], 'north'],
  stop_signal: ['SIGINT', ({ Config }) => Config.StopSignal, 'SIGINT'],
  stop_grace_period: ['3s', ({ Config }) => Config.StopTimeout, 3],
};

const hostAccess: Record<string, [written: string, reported: Reported, expected: unknown]> = {
  network: ['host', ({ HostConfig }) => HostConfig.NetworkMode, 'host'],
  privileged: ['true', ({ HostConfig }) => HostConfig.Privileged, true],
  pid: ['host', ({ HostConfig }) => HostConfig.PidMode, 'host'],
  ipc: ['host', ({ HostConfig }) => HostConfig.IpcMode, 'host'],
  storage: [
    '[{name: media, host_path: /srv, mount_path: /media}]',
    ({ HostConfig }) => HostConfig.Mounts,
    [expect.objectContaining({ Type: 'bind', Source: '/srv', Target: '/media' })],
  ],
  ports: [
    '[{container_port: 7000, host_port: 7001, host_ip: 127.0.0.1, protocol: udp}]',
    ({ HostConfig }) => HostConfig.PortBindings,
    { '7000/udp': [{ HostIp: '127.0.0.1', HostPort: '7001' }] },
  ],
  confinement: [
    '{seccomp: unconfined, apparmor: unconfined}',
    ({ HostConfig }) => HostConfig.SecurityOpt,
    expect.arrayContaining(['seccomp=unconfined', 'apparmor=unconfined']),
  ],
  devices: [
    '[{path: /dev/null, container_path: /dev/sink, access: rw}]',
    ({ HostConfig }) => HostConfig.Devices,
    [{ PathOnHost: '/dev/null', PathInContainer: '/dev/sink', CgroupPermissions: 'rw' }],
  ],
  gpu: [
    '{count: 2, driver: nvidia}',
    ({ HostConfig }) => HostConfig.DeviceRequests,
    [expect.objectContaining({ Driver: 'nvidia', Count: 2, Capabilities: [['gpu']] })],
  ],
};

/** Fields that are not a property of a single container, and where they are tested. */
const elsewhere: Record<string, string> = {
  image: 'rollout.test.ts',
  files: 'below',
  replicas: 'rollout.test.ts',
  placement: 'swarm/placement.test.ts',
  on_node_loss: 'swarm/node-loss.test.ts',
  kind: 'rollout.test.ts',
  run: 'rollout.test.ts and template-jobs/scheduler.test.ts',
  schedule: 'template-jobs/scheduler.test.ts',
  irreversible: 'plan.test.ts',
  depends_on: 'plan.test.ts',
  logs: 'container-logs/collecting.test.ts',
};

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

function manifestOf(uid: string, keys: string) {
  const text = `
slug: every-field
name: Every field
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: blog}
permissions: ${JSON.stringify([...DECLARED_KINDS, ...REFUSED_KINDS].map((kind) => ({ kind, reason: 'To see it arrive.' })))}
components:
  main:
    image: {repository: ${image.split(':')[0]}, tag: "1"}
${keys}`;
  const resolution = resolve(canonical(parse(text).value as Template), {
    inputs: {},
    secrets: {},
    instance: { uid, name: 'Bed', server_id: server.id },
  });
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.problems));
  return resolution.manifest;
}
const yaml = (table: Record<string, [string, ...unknown[]]>) =>
  Object.entries(table)
    .map(([key, [written]]) => `    ${key}: ${written}\n`)
    .join('');

it('every field of a component is in a table', () => {
  const tested = new Set([...Object.keys(ordinary), ...Object.keys(hostAccess), ...Object.keys(elsewhere)]);
  expect(Object.keys(Component.properties).filter((key) => !tested.has(key))).toEqual([]);
});

describe('a container deployed with all fields at once', () => {
  let response: Inspected;
  beforeAll(async () => {
    const uid = server.newUid();
    const { components } = manifestOf(uid, yaml(ordinary));
    expect(await server.deploy(uid, components)).toMatchObject({ status: 'success' });
    response = await server.inspect<Inspected>(uid);
  });

  it.each(Object.entries(ordinary))('has %s', (_, [, reported, expected]) => {
    expect(reported(response)).toEqual(expected);
  });

  it('shows no drift', async () => {
    const uid = response.Name.slice(1);
    const { components } = manifestOf(uid, yaml(ordinary));
    const identity = { deploymentId: 'dep_1', definitionId: id('def'), revision: 1, serverId: server.id };
    const desired = desiredState({ ...identity, manifest: manifest(uid, components) });
    const reading = await readActual(server.engine, server.id, desired, []);
    const images = await imagesOf(
      server.engine,
      [...reading.facts.values()].map(({ imageId }) => imageId),
    );
    const { cpus, limitsPids } = await server.engine.info();
    expect(instanceDrift(desired, reading, { cpus, limitsPids, images, deployed: [] })).toEqual([]);
  });

  it('is on the instance network under its component name, and its volume carries our labels', async () => {
    const uid = response.Name.slice(1);
    expect(response.NetworkSettings.Networks[`hortus-${uid}`]?.Aliases).toContain(`${uid}-main`);
    const [volume] = await server.engine.volumes({ labels: { 'hortus.instance': uid } });
    expect(volume).toMatchObject({ name: `${uid}_data`, labels: { 'hortus.managed': 'true' } });
  });
});

describe('a container with host access', () => {
  it.each(Object.entries(hostAccess))('gets %s', async (key, row) => {
    const uid = server.newUid();
    const manifest = manifestOf(uid, yaml({ [key]: row }));
    const identity = { deploymentId: 'dep_1', definitionId: 'def_1', revision: 1, serverId: server.id };
    const [unit] = desiredState({ ...identity, manifest }).units;
    if (unit === undefined) throw new Error('there is no unit');
    // Created but not started: there is no GPU here, and nothing should really access this machine.
    const { network } = unit.spec;
    const nowhere = network.kind === 'host' ? network : { ...network, name: 'bridge', aliases: [] };
    const id = await server.engine.create({ ...unit.spec, network: nowhere });
    const [, reported, expected] = row;
    expect(reported(await server.inspect<Inspected>(id))).toEqual(expected);
  });
});

it('files are written with their mode before the start, and rejected for a read-only root', async () => {
  const uid = server.newUid();
  const files = '    files: [{mount_path: /etc/app/site.ini, mode: "0640", content: "a = 1\\n"}]\n';
  const { components } = manifestOf(uid, files);
  expect(await server.deploy(uid, components)).toMatchObject({ status: 'success' });
  expect(await server.run(uid, 'stat', '-c', '%a', '/etc/app/site.ini')).toContain('640');
  const refused = await server.deploy(server.newUid(), manifestOf('x', `${files}    read_only: true\n`).components);
  expect(refused).toMatchObject({ status: 'failed', reason: 'manifest' });
});
