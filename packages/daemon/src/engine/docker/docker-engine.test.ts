import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '@hortus/logging/log';
import { sharedDocker } from '@hortus/testkit/docker';
import { canStartPodman, startPodman } from '@hortus/testkit/podman';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageMeter } from '../../metrics/usage-meter.ts';
import { NetworkPool } from '../../networks/network-pool.ts';
import { component } from '../../plan/testing/manifests.ts';
import { image, TestServer } from '../../rollout/testing/server.ts';
import type { ContainerEvent } from '../engine.ts';
import { isEngineProblem } from '../engine-problem.ts';

/** The driver keeps its promises on every engine with this API. */
const engines = [
  { name: 'docker', start: async () => ({ socketPath: sharedDocker(), stop: async () => {} }) },
  ...(canStartPodman ? [{ name: 'podman', start: startPodman }] : []),
];

describe.each(engines)('on $name', { timeout: 180_000 }, ({ name: engineName, start }) => {
  let server: TestServer;
  let engine: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    engine = await start();
    server = await TestServer.open(engine);
  }, 400_000);
  afterAll(async () => {
    await server.close();
    await engine.stop();
  });

  const sleeper = { image, command: ['sleep', '1000'], stop_grace_period_ms: 0 };

  /** Deploys one component and returns its name. */
  async function deployed(overrides: Parameters<typeof component>[1]): Promise<string> {
    const uid = server.newUid();
    const result = await server.deploy(uid, [component('main', { ...sleeper, ...overrides })]);
    expect(result).toMatchObject({ status: 'success' });
    return uid;
  }

  describe('settings of a manifest arrive unchanged', () => {
    const nasty = [
      '$HOME ${HOME} $$',
      '# no comment',
      `it's "quoted"`,
      'back\\slash\\n',
      'two\nlines\n',
      ' = ',
      '',
      'ünï🪴',
      '`id`; $(id)',
    ];

    test('environment, byte for byte, in the inspection and inside the container', async () => {
      const env = Object.fromEntries(nasty.map((value, index) => [`NASTY_${index}`, value]));
      const name = await deployed({ env });
      const { Config } = await server.inspect(name);
      for (const [key, value] of Object.entries(env)) {
        expect(Config.Env).toContain(`${key}=${value}`);
        expect(await server.run(name, 'sh', '-c', `printf %s "$${key}"`)).toBe(value);
      }
    });

    test('arguments, entrypoint, user, folder and host name', async () => {
      const name = await deployed({
        // In one write: Podman mixes up the end of a log when a line was written in parts.
        entrypoint: ['sh', '-c', 'printf "%s\\n" "$(printf "<%s>" "$0" "$@")"; exec sleep 1000'],
        command: nasty,
        user: '1000:1000',
        working_dir: '/tmp',
        hostname: 'app-host',
      });
      await until(async () => (await server.engine.logs(name, { tail: 100 })).endsWith('<`id`; $(id)>\n'), {
        describe: 'the arguments',
      });
      expect(await server.engine.logs(name, { tail: 100 })).toBe(`${nasty.map((text) => `<${text}>`).join('')}\n`);
      expect(await server.run(name, 'sh', '-c', 'id -u; id -g; pwd; hostname')).toBe('1000\n1000\n/tmp\napp-host\n');
    });

    test('mounts: volumes, host paths, tmpfs; writable or not', async () => {
      await using folder = temporaryFolder('mount');
      const path = join(folder.path, 'a:b c');
      mkdirSync(path);
      const volume = `v${randomBytes(5).toString('hex')}`;
      const name = await deployed({
        storage: [
          { name: 'data', volume, mount_path: '/data', read_only: false, critical: true },
          { name: 'host', host_path: path, mount_path: '/host', read_only: true, critical: false },
        ],
        tmpfs: [{ mount_path: '/scratch', size_bytes: 1024 * 1024 }],
      });
      const { Mounts } = await server.inspect(name);
      expect(Mounts).toContainEqual(
        expect.objectContaining({ Type: 'volume', Name: volume, Destination: '/data', RW: true }),
      );
      expect(Mounts).toContainEqual(
        expect.objectContaining({ Type: 'bind', Source: path, Destination: '/host', RW: false }),
      );
      expect(await server.run(name, 'grep', '/scratch', '/proc/mounts')).toMatch(/^tmpfs .*size=1024k/);
      expect(
        await server.run(
          name,
          'sh',
          '-c',
          'touch /data/x && touch /scratch/x && ! touch /host/x 2>/dev/null && echo right',
        ),
      ).toBe('right\n');
      await server.engine.remove(name, { force: true });
    });

    test('limits, policies and the rest of the host configuration', async () => {
      const name = await deployed({
        resources: { cpus: 0.5, memory_bytes: 64 * 2 ** 20, memory_reservation_bytes: 32 * 2 ** 20, pids: 50 },
        shm_size_bytes: 2 ** 20,
        ulimits: { nofile: { soft: 100, hard: 200 }, nproc: { soft: 500, hard: 600 } },
        restart: 'on-failure',
        capabilities: { add: ['NET_ADMIN'], drop: ['CHOWN'] },
        confinement: { seccomp: 'unconfined', apparmor: 'default', no_new_privileges: true },
        sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0' },
        extra_hosts: { 'db.example': '10.0.0.7', six: '::1' },
        devices: [{ path: '/dev/null', container_path: '/dev/nothing', access: 'rw' }],
        ports: [{ container_port: 8080, protocol: 'tcp' }],
        read_only: true,
        init: true,
        stop_signal: 'SIGINT',
        stop_grace_period_ms: 1_500,
      });
      const { HostConfig, Config } = await server.inspect(name);
      expect(HostConfig).toMatchObject({
        NanoCpus: 5e8,
        Memory: 64 * 2 ** 20,
        MemoryReservation: 32 * 2 ** 20,
        PidsLimit: 50,
        ShmSize: 2 ** 20,
        RestartPolicy: { Name: 'on-failure' },
        ExtraHosts: ['db.example:10.0.0.7', 'six:::1'],
        ReadonlyRootfs: true,
        Init: true,
        Privileged: false,
      });
      expect(JSON.stringify([HostConfig.CapAdd, HostConfig.CapDrop])).toMatch(/NET_ADMIN.*CHOWN/);
      expect(Config).toMatchObject({ StopTimeout: 2, ExposedPorts: { '8080/tcp': {} } });
      // Engines report the rest differently; what matters is what a process sees.
      const shell = (line: string) => server.run(name, 'sh', '-c', line);
      // Of the first process: an exec may get others.
      const limits = await shell('cat /proc/1/limits');
      expect(limits).toMatch(/^Max open files +100 +200 /m);
      expect(limits).toMatch(/^Max processes +500 +600 /m);
      expect(await shell('cat /proc/sys/net/ipv4/ip_unprivileged_port_start')).toBe('0\n');
      expect(await shell('grep -E "^(Seccomp|NoNewPrivs):" /proc/1/status')).toBe('NoNewPrivs:\t1\nSeccomp:\t0\n');
      expect(await shell('test -c /dev/nothing && touch /x 2>/dev/null || echo read-only')).toBe('read-only\n');
      expect(await shell('test -c /dev/nothing && echo there')).toBe('there\n');
      expect(await shell('cat /etc/hosts')).toMatch(/10\.0\.0\.7\s+db\.example/);
      const facts = await server.engine.inspect(name);
      expect(facts?.limits).toEqual({
        cpus: 0.5,
        memoryBytes: 64 * 2 ** 20,
        memoryReservationBytes: 32 * 2 ** 20,
        pids: 50,
      });
    });

    test('all CPUs if the limit exceeds their number', async () => {
      const name = await deployed({ resources: { cpus: 1_000 } });
      const { cpus } = await server.engine.info();
      expect((await server.engine.inspect(name))?.limits.cpus).toBe(cpus);
      await server.engine.remove(name, { force: true });
    });

    test('labels with the hash of the spec, and the network with its alias', async () => {
      const name = await deployed({ host: 'web-alias' });
      const { Config, NetworkSettings } = await server.inspect(name);
      expect(Config.Labels).toMatchObject({
        'hortus.managed': 'true',
        'hortus.server': server.id,
        'hortus.instance': name,
        'hortus.definition': expect.stringMatching(/^def_/),
        'hortus.component': 'main',
        'hortus.spec_hash': `sha256:${'0'.repeat(64)}`,
        'hortus.deployment': expect.stringMatching(/^dep_/),
        'hortus.revision': expect.stringMatching(/^\d+$/),
        'hortus.config': expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      });
      expect(NetworkSettings.Networks[`hortus-${name}`]?.Aliases).toContain('web-alias');
    });

    test('files with their modes, in existing and new folders, before the start', async () => {
      const content = `a = "$x"\n${nasty.join('\n')}\n`;
      const name = await deployed({
        command: ['sh', '-c', 'cat /srv/new/folder/a.ini; exec sleep 1000'],
        files: [
          { mount_path: '/srv/new/folder/a.ini', mode: '0640', content },
          { mount_path: '/etc/run.sh', mode: '0755', content: '#!/bin/sh\necho ran\n' },
        ],
      });
      const written = async () => await server.engine.logs(name, { tail: 100 });
      await until(async () => (await written()).length >= content.length, { describe: 'the file to be read' });
      expect(await written()).toBe(content);
      expect(await server.run(name, 'stat', '-c', '%a %u %g', '/srv/new/folder/a.ini')).toBe('640 0 0\n');
      expect(await server.run(name, '/etc/run.sh')).toBe('ran\n');
    });

    test('a health check command runs in the engine at its own interval', async () => {
      const healthcheck = { test: ['true'], interval_ms: 60_000, timeout_ms: 2_000, start_period_ms: 500, retries: 4 };
      const begun = performance.now();
      const name = await deployed({ healthcheck });
      expect(performance.now() - begun).toBeLessThan(healthcheck.interval_ms);
      const { Config } = await server.inspect(name);
      expect(Config.Healthcheck).toEqual({
        Test: ['CMD', 'true'],
        Interval: 60e9,
        Timeout: 2e9,
        StartPeriod: 0.5e9,
        Retries: 4,
      });
    });
  });

  describe('commands in a container', () => {
    test('have separate streams, an exit code, an environment, a user and a folder', async () => {
      const name = await deployed({});
      const handle = await server.engine.exec(name, {
        argv: ['sh', '-c', 'echo "$X $(id -u) $(pwd)"; echo bad >&2; exit 5'],
        env: { X: `a'b"c$d` },
        user: '1000',
        workingDir: '/tmp',
      });
      const seen = { stdout: '', stderr: '' };
      for await (const { stream, chunk } of handle.output) seen[stream] += chunk.toString();
      expect(seen).toEqual({ stdout: `a'b"c$d 1000 /tmp\n`, stderr: 'bad\n' });
      expect(await handle.inspect()).toMatchObject({ running: false, exitCode: 5 });
    });

    test('with a terminal can be resized and get input, and have one stream', async () => {
      const name = await deployed({});
      const handle = await server.engine.attach(name, {
        argv: ['sh'],
        env: { TERM: 'xterm', X: 'set' },
        terminal: { cols: 101, rows: 33 },
      });
      let seen = '';
      const over = (async () => {
        for await (const { stream, chunk } of handle.output) {
          expect(stream).toBe('stdout');
          seen += chunk;
        }
      })();
      const shows = (text: string) => until(() => seen.includes(text), { describe: () => `${text} in ${seen}` });
      handle.input.write('until busybox stty size | grep "20 90"; do :; done; echo "$X-$TERM" >&2\r');
      // Podman may lose a size that arrives while the command starts.
      await until(() => handle.resize({ cols: 90, rows: 20 }).then(() => seen.includes('\n20 90')), {
        describe: () => `the new size in ${seen}`,
      });
      await shows('set-xterm');
      handle.input.write('echo begin-$((1+1)); sleep 1000\r');
      await shows('begin-2');
      handle.input.write('\u0003');
      await shows('^C');
      handle.input.write('exit 42\r');
      await over;
      await until(async () => (await handle.inspect()).exitCode === 42, { describe: 'the exit code' });
    });

    test('with a terminal get every byte, also the keys with which people detach from engines', async () => {
      const name = await deployed({});
      const handle = await server.engine.attach(name, {
        argv: [
          'sh',
          '-c',
          'busybox stty raw -echo; for n in 1 2; do echo ready-$n; dd bs=1 count=1 of=/dev/null 2>/dev/null; done; echo ready-3; head -c 40000 | sha256sum; exit 42',
        ],
        env: {},
        terminal: { cols: 80, rows: 24 },
      });
      let seen = '';
      const over = (async () => {
        for await (const { chunk } of handle.output) seen += chunk;
      })();
      const shows = (text: string) => until(() => seen.includes(text), { describe: () => `${text} in ${seen}` });
      const bytes = Buffer.alloc(40_000, Buffer.from([16, 17]));
      // Each of the first two arrives on its own, as from a keyboard.
      await shows('ready-1');
      handle.input.write(bytes.subarray(0, 1));
      await shows('ready-2');
      handle.input.write(bytes.subarray(1, 2));
      await shows('ready-3');
      handle.input.write(bytes);
      await over;
      expect(seen).toContain(createHash('sha256').update(bytes).digest('hex'));
      await until(async () => (await handle.inspect()).exitCode === 42, { describe: 'the exit code' });
    });

    // Podman 4 stops to read the output when it cannot pass on the input, and adds a message about that to it.
    if (engineName !== 'podman')
      test('that exit without reading their input keep their output', async () => {
        const name = await deployed({});
        const handle = await server.engine.attach(name, {
          argv: ['sh', '-c', 'head -c 5; seq 20000; exit 3'],
          env: {},
        });
        handle.input.end(Buffer.alloc(3_000_000, 'x'));
        const seen = { stdout: '', stderr: '' };
        for await (const { stream, chunk } of handle.output) {
          seen[stream] += chunk;
          // Reads more slowly than the command exits.
          await new Promise((done) => setTimeout(done, 5));
        }
        expect(seen.stdout.slice(0, 7)).toBe('xxxxx1\n');
        expect(seen.stdout.slice(-6)).toBe('20000\n');
        await until(async () => (await handle.inspect()).exitCode === 3, { describe: 'the exit code' });
      });

    test('without a terminal get input until its end', async () => {
      const name = await deployed({});
      const handle = await server.engine.attach(name, { argv: ['sh', '-c', 'wc -c; echo bad >&2'], env: {} });
      handle.input.end(Buffer.alloc(1_000_000));
      const seen = { stdout: '', stderr: '' };
      for await (const { stream, chunk } of handle.output) seen[stream] += chunk.toString();
      expect(seen).toEqual({ stdout: '1000000\n', stderr: 'bad\n' });
    });

    test('return output of any size completely', async () => {
      const name = await deployed({});
      const text = await server.run(name, 'seq', '1', '200000');
      expect(text.length).toBe(1_288_895);
      expect(text.endsWith('\n200000\n')).toBe(true);
    });
  });

  test('events cover the life of a container, include past ones, and end with the signal', async () => {
    const seen: ContainerEvent[] = [];
    const stop = new AbortController();
    const since = Date.now();
    const name = await deployed({});
    const following = server.engine.events(
      { labels: { 'hortus.server': server.id }, since },
      (event) => seen.push(event),
      stop.signal,
    );
    await server.engine.stop(name, 0);
    await until(() => seen.some(({ action }) => action === 'die'), { describe: 'the event of the end' });
    expect(seen.map(({ action }) => action)).toEqual(expect.arrayContaining(['start', 'die']));
    expect(seen.find(({ action }) => action === 'die')?.attributes).toMatchObject({
      exitCode: '137',
      'hortus.instance': name,
    });
    expect(seen.every(({ at }) => at >= since - 1)).toBe(true);
    stop.abort();
    await following;
  });

  describe('names from outside', () => {
    test.each(['../info', 'x/../../info', 'a b', 'x?force=1', '%2e%2e', 'ü', '\n'])('%j stays a name', async (name) => {
      const found = await server.engine.inspect(name).catch((error) => {
        expect(isEngineProblem(error, 'invalid')).toBe(true);
        return undefined;
      });
      expect(found).toBeUndefined();
    });

    test('starting a missing container names it', async () => {
      await expect(server.engine.start('no-such')).rejects.toMatchObject({
        kind: 'not_found',
        status: 404,
        message: expect.stringMatching(/^Could not start container no-such: .*no such container/i),
      });
    });

    test('stopping, starting and removing twice succeed', async () => {
      const name = await deployed({});
      await server.engine.start(name);
      await server.engine.stop(name, 0);
      await server.engine.stop(name, 0);
      await server.engine.remove(name);
      await server.engine.remove(name);
    });
  });

  test('usage of containers is measured where the daemon looks for it', async () => {
    const name = await deployed({ command: ['sh', '-c', 'while :; do :; done'] });
    const meter = new UsageMeter({
      engine: server.engine,
      serverId: () => server.id,
      log: openLog({ level: 'error' }),
    });
    await meter.read();
    const busy = async () => (await meter.read()).find(({ instance_uid }) => instance_uid === name);
    await until(async () => ((await busy())?.cpu_percent ?? 0) > 1, { describe: 'a busy container', every: 200 });
    expect((await busy())?.memory_bytes).toBeGreaterThan(0);
    await server.engine.remove(name, { force: true });
  });

  test('a network gets the subnet of the pool, and a used subnet is reported as such', async () => {
    const pool = new NetworkPool({ engine: server.engine, pool: undefined, log: openLog({ level: 'error' }) });
    const [first, second] = [`hortus-${server.newUid()}`, `hortus-${server.newUid()}`];
    const labels = { 'hortus.server': server.id };
    const spec = { labels, owner: [], addresses: 16 };
    await pool.ensureNetwork({ ...spec, name: first });
    const made = async () => (await server.engine.networks({ labels })).filter(({ name }) => name === first);
    const [{ subnets } = { subnets: [] }] = await made();
    expect(subnets).toEqual([expect.stringMatching(/\/28$/)]);
    const clash = server.engine.ensureNetwork({ ...spec, name: second, subnet: subnets[0] ?? '' });
    await expect(clash).rejects.toMatchObject({ kind: 'subnet_taken' });
    await server.engine.removeNetwork(first);
    await server.engine.removeNetwork(first);
    expect(await made()).toEqual([]);
    await server.engine.ensureNetwork({ ...spec, name: second, subnet: subnets[0] ?? '' });
    await server.engine.removeNetwork(second);
  });

  test('a container restarts after the network it was started on was removed', async () => {
    const uid = server.newUid();
    const parts = (version: string) => [component('main', { ...sleeper, env: { version } })];
    await server.deploy(uid, parts('1'));
    expect(await server.deploy(uid, parts('2'))).toMatchObject({ status: 'success' });
    const extra = (await server.inspect(uid)).Config.Labels['hortus.home'];
    await server.engine.removeNetwork(extra ?? '');
    await server.engine.stop(uid, 0);
    await server.engine.start(uid);
    const facts = await server.engine.inspect(uid);
    expect(facts).toMatchObject({ state: 'running', networks: [{ name: `hortus-${uid}` }] });
    expect(facts?.networks[0]?.address).not.toBe('');
  });

  test('the engine reports its name and version', async () => {
    expect(await server.engine.info()).toMatchObject({
      name: engineName,
      os: 'linux',
      apiVersion: expect.stringMatching(/^1\.\d+$/),
    });
  });
});
