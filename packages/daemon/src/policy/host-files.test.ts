import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestComponent } from '@hortus/contract/template/manifest';
import { askDocker } from '@hortus/testkit/docker-request';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { image } from '../rollout/testing/server.ts';
import { action, request } from '../testing/actions.ts';
import { DaemonProcess, sleeper } from '../testing/daemon-process.ts';
import { id } from '../testing/signing.ts';
import { realPath } from './host-paths.ts';

/**
 * The real daemon and engine, a policy that allows a writable directory, and a container that replaces its content by a
 * link.
 */
const folder = temporaryFolder('host-files');
const root = realPath(folder.path);
const allowed = join(root, 'allowed');
const data = join(allowed, 'data');
/** Plays the role of /etc. */
const secrets = join(root, 'secrets');
let daemon: DaemonProcess;

beforeAll(async () => {
  daemon = await DaemonProcess.start({ policy: { host_paths: [allowed] } });
  await daemon.connected();
  mkdirSync(secrets);
  writeFileSync(join(secrets, 'shadow'), 'root:secret');
});
afterAll(async () => {
  await daemon.close();
  await folder.remove();
});
beforeEach(async () => {
  const { engine } = daemon.server;
  const ours = { labels: { 'hortus.server': daemon.serverId } };
  for (const { id } of await engine.containers(ours)) await engine.remove(id, { force: true });
  rmSync(allowed, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
});

const storage = (...paths: string[]): ManifestComponent['storage'] =>
  paths.map((host_path, index) => ({
    name: `d${index}`,
    host_path,
    mount_path: `/d${index}`,
    read_only: false,
    critical: false,
  }));
const mounting = (...paths: string[]) => sleeper({ storage: storage(...paths), stop_grace_period_ms: 0 });
const readShadow = ['sh', '-c', 'cat /d0/shadow'];

async function deploy(uid: string, component: ManifestComponent, more = {}) {
  return await daemon.reportOf(daemon.order(uid, [component], more));
}

async function deployed(component: ManifestComponent, more = {}): Promise<string> {
  const uid = daemon.server.newUid();
  expect(await deploy(uid, component, more)).toMatchObject({ status: 'success' });
  return uid;
}

/** Acts inside a container that the daemon does not manage: the worst case for a writable directory. */
async function exchangeFromInside(): Promise<void> {
  const { engine } = daemon.server;
  const [prototype] = await engine.containers({ labels: { 'hortus.server': daemon.serverId } });
  if (prototype === undefined) throw new Error('Nothing was deployed.');
  const name = daemon.server.newUid();
  const script = `rmdir /allowed/data && ln -s ${secrets} /allowed/data`;
  const HostConfig = { Binds: [`${allowed}:/allowed`], NetworkMode: 'none' };
  const body = { Image: image, Cmd: ['sh', '-c', script], HostConfig };
  await askDocker(daemon.server.socketPath, 'POST', `/containers/create?name=${name}`, body);
  await askDocker(daemon.server.socketPath, 'POST', `/containers/${name}/start`);
  expect(await engine.wait(name)).toBe(0);
  await daemon.server.remove(name);
  expect(existsSync(join(data, 'shadow'))).toBe(true);
}

function order(uid: string, slug: string, overrides: Partial<ReturnType<typeof request>['action']> = {}, params = {}) {
  const asked = request(slug, overrides.command ?? [], params, uid);
  daemon.service.send({ ...asked, type: 'action_request', action: { ...asked.action, type: 'builtin', ...overrides } });
  return daemon.resultOf(asked.execution_id);
}

const refused = { type: 'action_failed', error: expect.stringContaining(`${data} leads to ${secrets}`) };
const stateOf = async (uid: string) => (await daemon.server.engine.inspect(uid))?.state;

describe('a directory that a container replaced by a link to host files is not mounted by', () => {
  it('a restart', async () => {
    const uid = await deployed(mounting(data));
    await exchangeFromInside();
    expect(await order(uid, 'hortus.restart')).toMatchObject(refused);
    expect(await stateOf(uid)).toBe('exited');
  });

  it('a stop and a start', async () => {
    const uid = await deployed(mounting(data));
    expect(await order(uid, 'hortus.stop')).toMatchObject({ type: 'action_completed' });
    await exchangeFromInside();
    expect(await order(uid, 'hortus.start')).toMatchObject(refused);
    expect(await stateOf(uid)).toBe('exited');
  });

  it('a job', async () => {
    const uid = await deployed(mounting(data), { actions: [action('read', readShadow, { type: 'job' })] });
    await exchangeFromInside();
    const result = await order(uid, 'read', { type: 'job', command: readShadow });
    expect(result).toMatchObject(refused);
    expect(JSON.stringify(result)).not.toContain('root:secret');
  });

  it('another rollout', async () => {
    const uid = await deployed(mounting(data));
    await exchangeFromInside();
    const report = await deploy(uid, { ...mounting(data), env: { CHANGED: 'yes' } });
    expect(report).toMatchObject({ status: 'failed', reason: 'refused', error: expect.stringContaining(secrets) });
  });

  it('the restart after a backup that stopped it', async () => {
    const uid = daemon.server.newUid();
    const volume = { name: 'v', volume: `${uid}_v`, mount_path: '/v', read_only: false, critical: true };
    const backup = {
      strategy: 'volume',
      volumes: [{ name: 'v', critical: true }],
      dump_action: null,
      schedule_hint: null,
    };
    const component = { ...mounting(data), storage: [...storage(data), volume] };
    expect(await deploy(uid, component, { backup })).toMatchObject({ status: 'success' });
    await exchangeFromInside();
    const key = Buffer.alloc(32, 7).toString('base64');
    const overrides = { command: [], timeout: '60s' };
    expect(await order(uid, 'hortus.backup', overrides, { backup_id: `bkp_${uid}`, key })).toMatchObject(refused);
    expect(await stateOf(uid)).toBe('exited');
  });
});

describe('a container that can write to a directory', () => {
  it('prevents other containers from mounting paths below it', async () => {
    const writer = await deployed(mounting(allowed));
    expect(await deploy(daemon.server.newUid(), mounting(data))).toMatchObject({
      status: 'failed',
      reason: 'refused',
      error: expect.stringContaining(`${data} lies below ${allowed}, which the container ${writer} can write to`),
    });
    expect(await order(writer, 'hortus.release')).toMatchObject({ type: 'action_completed' });
    await deployed(mounting(data));
  });

  it('is not created above a mount of another container, because the engine restarts that by itself', async () => {
    const uid = await deployed(mounting(data));
    expect(await deploy(daemon.server.newUid(), mounting(allowed))).toMatchObject({
      status: 'failed',
      reason: 'refused',
      error: expect.stringContaining(`${allowed} contains ${data}, which the container ${uid} mounts`),
    });
  });

  it('is refused a second mount below the first', async () => {
    expect(await deploy(daemon.server.newUid(), mounting(allowed, data))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('which the container itself can write to'),
    });
  });

  it('left a link before it was removed: the link is not mounted, although its target is allowed', async () => {
    const writer = await deployed(mounting(allowed));
    await daemon.server.run(writer, 'sh', '-c', 'mkdir /d0/other && rmdir /d0/data && ln -s other /d0/data');
    expect(await order(writer, 'hortus.release')).toMatchObject({ type: 'action_completed' });
    rmSync(data);
    symlinkSync(join(allowed, 'other'), data);
    expect(await deploy(daemon.server.newUid(), mounting(data))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`leads through the link data in ${allowed}`),
    });
  });

  it('cannot win a race: of two created at once, one above the other, at most one is', async () => {
    const [above, below] = [daemon.server.newUid(), daemon.server.newUid()];
    const reports = await Promise.all([deploy(above, mounting(allowed)), deploy(below, mounting(data))]);
    expect(reports.filter(({ status }) => status === 'success').length).toBeLessThanOrEqual(1);
  });
});

it('the engine gets the resolved path, which is not reported as drift', async () => {
  const link = join(root, 'link');
  symlinkSync(allowed, link);
  const uid = await deployed(mounting(join(link, 'data')));
  const { Id, Mounts } = await daemon.server.inspect(uid);
  expect(Mounts.map(({ Source }) => Source)).toEqual([data]);
  expect(await deploy(uid, mounting(join(link, 'data')))).toMatchObject({ status: 'success' });
  expect(await daemon.server.inspect(uid)).toMatchObject({ Id });
  rmSync(link);
});

it('a volume that binds a host directory is checked like a host path', async () => {
  const uid = daemon.server.newUid();
  const Labels = {
    'hortus.managed': 'true',
    'hortus.server': daemon.serverId,
    'hortus.instance': uid,
    'hortus.definition': id('def'),
  };
  const DriverOpts = { type: 'none', o: 'bind', device: secrets };
  await askDocker(daemon.server.socketPath, 'POST', '/volumes/create', { Name: `${uid}_v`, Labels, DriverOpts });
  const disguised = { name: 'v', volume: `${uid}_v`, mount_path: '/d0', read_only: false, critical: false };
  const report = await deploy(uid, sleeper({ storage: [disguised] }));
  expect(report).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`requests a mount of host path ${secrets}`),
  });
});

it('no part of the daemon bypasses the check', () => {
  const source = join(import.meta.dirname, '..');
  const opens = globSync('**/*.ts', { cwd: source }).filter(
    (file) =>
      !/test|engine\/docker/.test(file) && readFileSync(join(source, file), 'utf8').includes('openDockerEngine('),
  );
  // The shim of an exec and `hortusd doctor` create no containers.
  expect(opens.sort()).toEqual(['actions/exec-shim.ts', 'diagnostics/examine.ts', 'wiring/node-engine.ts']);
});
