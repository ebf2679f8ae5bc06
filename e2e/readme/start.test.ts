import { readFileSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { clientOf } from '../service-process.ts';
import { makeNginxImage, openMachine, shownKey } from './started.ts';

/** Reads the pid of the running daemon from its state directory. */
const daemonOf = (dataDirectory: string, serverId: string): number =>
  Number(readFileSync(join(dataDirectory, 'daemon', serverId, 'hortusd.pid'), 'utf8'));

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('the first start prints key and login and registers this machine; later starts reuse the server and print no secret', {
  timeout: 240_000,
}, async () => {
  await using machine = await openMachine();
  const first = await machine.start();
  const key = shownKey(first);
  expect(key).not.toBe('');
  expect(first.stdout).toContain('Login of the first account, shown once: admin@localhost ');
  expect(first.stdout).toContain(`(${machine.serverId()})`);
  expect(statSync(join(machine.dataDirectory, 'local-server.json')).mode & 0o777).toBe(0o600);
  await machine.online(key);
  const firstDaemon = daemonOf(machine.dataDirectory, machine.serverId());

  // Ctrl-C.
  expect(await first.kill('SIGINT')).toEqual({ code: 0, signal: null });
  expect(isAlive(firstDaemon)).toBe(false);

  const id = machine.serverId();
  const second = await machine.start();
  expect(machine.serverId()).toBe(id);
  expect(second.stdout).toContain(`(${id})`);
  expect(second.output).not.toMatch(/h[ks]_live_|shown once/);
  await machine.online(key);
  const client = clientOf(`${machine.url}/api/v1`, key);
  expect((await client.call('servers.list')).data.map((server) => server.id)).toEqual([id]);

  // The binary for other machines is built when it is first asked for.
  const agent = (path = '') =>
    fetch(`${machine.url}/api/v1/implant/linux/amd64${path}`, { headers: { authorization: `Bearer ${key}` } });
  const begun = await agent('/download');
  expect([begun.status, begun.headers.get('retry-after')]).toEqual([404, '10']);
  expect(await begun.json()).toMatchObject({ error: { code: 'NOT_FOUND', details: { reason: 'building' } } });
  const built = await until(
    async () => {
      const response = await agent();
      const body = (await response.json()) as { data: { size: number; version: string }; error?: { details: object } };
      if (response.status === 404) expect(body.error?.details).toMatchObject({ reason: 'building' });
      return response.ok && body.data;
    },
    { describe: () => `the binary to be built; npm start wrote:\n${second.output}`, within: 120_000 },
  );
  const bytes = Buffer.from(await (await agent('/download')).arrayBuffer());
  expect(bytes.length).toBe(built.size);
  expect(bytes.subarray(1, 4).toString()).toBe('ELF');
});

test('a crashed daemon is restarted, and it stops when npm start is killed', { timeout: 240_000 }, async () => {
  await using machine = await openMachine();
  const child = await machine.start();
  await machine.online(shownKey(child));
  const { dataDirectory } = machine;
  const first = daemonOf(dataDirectory, machine.serverId());
  process.kill(first, 'SIGKILL');
  // The file is empty for a moment while it is written.
  const again = () => daemonOf(dataDirectory, machine.serverId());
  const another = () => {
    const pid = again();
    return pid > 0 && pid !== first && isAlive(pid) && pid;
  };
  const last = await until(another, { describe: () => `another daemon; npm start wrote:\n${child.output}` });
  await child.kill('SIGKILL');
  await until(() => !isAlive(last), { describe: 'the end of the daemon' });
});

test('a crashed service is restarted with its daemon, and the reason is printed', { timeout: 240_000 }, async () => {
  await using machine = await openMachine();
  const child = await machine.start();
  const key = shownKey(child);
  await machine.online(key);
  const { dataDirectory } = machine;
  const service = () => Number(readFileSync(join(dataDirectory, 'hortus.pid'), 'utf8'));
  const [first, firstDaemon] = [service(), daemonOf(dataDirectory, machine.serverId())];
  process.kill(first, 'SIGKILL');
  await until(() => service() > 0 && service() !== first, {
    describe: () => `another service; it wrote:\n${child.output}`,
  });
  expect(child.output).toMatch(/The service ended by SIGKILL and is started again in 1 s\./);
  await until(async () => (await fetch(`${machine.url}/api/v1/health`)).ok, { describe: 'health to answer again' });
  await until(() => !isAlive(firstDaemon), { describe: 'the end of the first daemon' });
  const daemon = () => daemonOf(dataDirectory, machine.serverId());
  await until(() => daemon() > 0 && daemon() !== firstDaemon, { describe: 'another daemon' });
  await machine.online(key);
  const second = service();
  // Ctrl-C still stops everything.
  await child.kill('SIGINT');
  expect([isAlive(second), isAlive(daemon())]).toEqual([false, false]);
});

test('a server with a rotated key is kept; a deleted one is registered again', {
  timeout: 240_000,
}, async () => {
  await using machine = await openMachine();
  const first = await machine.start();
  const key = shownKey(first);
  await machine.online(key);
  const id = machine.serverId();
  const client = clientOf(`${machine.url}/api/v1`, key);
  const before = readFileSync(join(machine.dataDirectory, 'local-server.json'), 'utf8');
  await client.call('servers.rotateKey', { params: { id } });
  const usesNewKey = async () =>
    await clientOf(`${machine.url}/api/v1`, (JSON.parse(before) as { api_key: string }).api_key)
      .call('servers.read', { params: { id } })
      .then(
        () => false,
        () => true,
      );
  await until(usesNewKey, { describe: 'the daemon to use its new key' });
  await first.stop();

  const second = await machine.start();
  expect(machine.serverId()).toBe(id);
  await machine.online(key);
  await client.call('servers.delete', { params: { id } });
  await second.stop();

  await machine.start();
  expect(machine.serverId()).not.toBe(id);
  await machine.online(key);
});

test('without Docker or with HORTUS_LOCAL_SERVER=off only the service runs, and npm start prints that', {
  timeout: 240_000,
}, async () => {
  await using machine = await openMachine();
  const without = await machine.start({ DOCKER_HOST: `unix://${machine.folder.path}/no.sock` });
  expect(without.stdout).toMatch(
    /^This machine is not a server: no Docker engine answers \(.*no\.sock does not exist\)/m,
  );
  await without.stop();
  const off = await machine.start({ HORTUS_LOCAL_SERVER: 'off' });
  expect(off.stdout).toContain('This machine is not a server: HORTUS_LOCAL_SERVER is off.');
  const { data } = await clientOf(`${machine.url}/api/v1`, shownKey(without)).call('servers.list');
  expect(data).toEqual([]);
});

/** As a user who may not use ports below 1024: root keeps everything but that. */
const WITHOUT_LOW_PORTS = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-net_bind_service'] : [];

test('started without root, a page deploys without a domain, and its address with a high port opens', {
  timeout: 240_000,
}, async () => {
  await using machine = await openMachine();
  await makeNginxImage(machine.socketPath);
  const ports = { HORTUS_INGRESS_HTTP: undefined, HORTUS_INGRESS_HTTPS: undefined };
  const key = shownKey(await machine.start(ports, WITHOUT_LOW_PORTS));
  await machine.online(key);
  const client = clientOf(`${machine.url}/api/v1`, key);
  const body = { species: 'static-site', instance_uid: 'high', server_id: machine.serverId(), inputs: {} };
  const { data: definition } = await client.call('definitions.create', { body });
  await client.call('deployments.execute', { body: { definition_id: definition.id } });
  const url = await until(
    async () => {
      const { data } = await client.call('instances.list', { query: { definition_id: definition.id } });
      return data.find(({ health }) => health === 'healthy')?.url;
    },
    { within: 120_000, describe: 'a healthy instance' },
  );
  expect(url).toMatch(/^http:\/\/high\.localhost:8\d{3}$/);
  const { host, port } = new URL(url ?? '');
  const output = await new Promise<number | undefined>((done, fail) => {
    get({ host: '127.0.0.1', port, headers: { host } }, ({ statusCode }) => done(statusCode)).on('error', fail);
  });
  expect(output).toBe(200);
});
