import { askDocker } from '@hortus/testkit/docker-request';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import { observe } from '../instances/observe.ts';
import { nextName } from '../plan/names.ts';
import { component } from '../plan/testing/manifests.ts';
import { image, TestServer, web, webCheck } from './testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

const sleeper = { image, command: ['sleep', '1000'] };
const failingCheck = { test: ['false'], interval_ms: 20, timeout_ms: 1_000, start_period_ms: 0, retries: 2 };

describe('a first deployment', () => {
  test('leads to a healthy container under the name of the instance', async () => {
    const uid = server.newUid();
    const result = await server.deploy(uid, [component('main', web())]);
    expect(result).toMatchObject({
      status: 'success',
      instance: { container_name: uid, status: 'running', health: 'healthy' },
      components: [{ name: 'main', status: 'running', health: 'healthy', image }],
    });
    expect(await server.names()).toContain(`${uid} running`);
    expect(server.steps()).toEqual(
      expect.arrayContaining(['pull', 'network', 'create', 'start', 'wait_healthy', 'switch']),
    );
    expect(result.instance?.started_at).toBeGreaterThan(Date.now() - 60_000);
  });

  test('that never becomes healthy fails with the reason and its last lines, and leaves nothing running', async () => {
    const uid = server.newUid();
    const command = ['sh', '-c', 'echo the disk is full; sleep 1000'];
    // Generous timeout, so that the last check has an exit code on a slow machine too.
    const engine: Engine = { ...server.engine, exec: (id, check) => server.engine.exec(id, check) };
    const parts = [component('main', { ...sleeper, command, healthcheck: failingCheck })];
    const result = await server.deploy(uid, parts, { engine });
    expect(result).toMatchObject({ status: 'failed', reason: 'unhealthy', restored: true });
    expect(result.error).toContain('false exited with 1');
    expect(result.error).toContain('the disk is full');
    expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([]);
  });

  test('whose container exits at once fails at once, whatever its restart policy', async () => {
    const uid = server.newUid();
    const command = ['sh', '-c', 'echo no such table; exit 3'];
    const begun = performance.now();
    const result = await server.deploy(uid, [
      component('main', {
        ...web(),
        restart: 'always',
        command,
        healthcheck: { ...webCheck, start_period_ms: 60_000 },
      }),
    ]);
    expect(result).toMatchObject({ status: 'failed', reason: 'exited' });
    expect(result.error).toContain('no such table');
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  test('with a command that does not exist reports it', async () => {
    const result = await server.deploy(server.newUid(), [component('main', { image, command: ['no-such-command'] })]);
    expect(result).toMatchObject({ status: 'failed', reason: 'engine' });
    expect(result.error).toContain('no-such-command');
  });

  test('of an image that cannot be pulled reports it', async () => {
    const missing = '127.0.0.1:1/no/such:1';
    const result = await server.deploy(server.newUid(), [component('main', { ...sleeper, image: missing })]);
    expect(result).toMatchObject({ status: 'failed', reason: 'image' });
    expect(result.error).toContain(`pull image ${missing}`);
  });
});

describe('a deployment without changes', () => {
  test('does nothing', async () => {
    const uid = server.newUid();
    const parts = [component('main', web())];
    const first = await server.deploy(uid, parts);
    const before = await server.inspect(uid);
    const second = await server.deploy(uid, parts);
    expect(server.steps()).toEqual([]);
    expect(second).toEqual(first);
    expect(await server.inspect(uid)).toMatchObject({ Id: before.Id, State: { StartedAt: before.State.StartedAt } });
  });

  test('starts a stopped container', async () => {
    const uid = server.newUid();
    const parts = [component('main', web())];
    await server.deploy(uid, parts);
    const { Id } = await server.inspect(uid);
    await server.engine.stop(uid, 1_000);
    expect(await server.deploy(uid, parts)).toMatchObject({ status: 'success', instance: { container_id: Id } });
    expect(server.steps()).toEqual(['start', 'wait_healthy']);
  });
});

describe('a changed deployment', () => {
  test('replaces the container and keeps its volume', async () => {
    const uid = server.newUid();
    const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
    await server.deploy(uid, [component('main', web({ storage, env: { VERSION: '1' } }))]);
    await server.run(uid, 'sh', '-c', 'echo precious > /data/file');
    const old = await server.inspect(uid);
    const result = await server.deploy(uid, [component('main', web({ storage, env: { VERSION: '2' } }))]);
    expect(result.status).toBe('success');
    const now = await server.inspect(uid);
    expect(now.Id).not.toBe(old.Id);
    expect(now.Config.Env).toContain('VERSION=2');
    expect(await server.run(uid, 'cat', '/data/file')).toBe('precious\n');
    expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([`${uid} running`]);
    expect(server.log.map(({ message }) => message).join('\n')).toMatch(/downtime \d+ ms/);
  });

  test('that does not become healthy restores the same old container', async () => {
    const uid = server.newUid();
    const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
    await server.deploy(uid, [component('main', web({ storage }))]);
    const old = await server.inspect(uid);
    const result = await server.deploy(uid, [component('main', web({ storage, healthcheck: failingCheck }))]);
    expect(result).toMatchObject({ status: 'failed', reason: 'unhealthy', restored: true });
    expect(await server.inspect(uid)).toMatchObject({ Id: old.Id, State: { Status: 'running' } });
    expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([`${uid} running`]);
    expect(server.steps()).toEqual(expect.arrayContaining(['stop_old', 'discard', 'start_old']));
    expect(await observe(server.engine, server.id)).toContainEqual(
      expect.objectContaining({ instance_uid: uid, status: 'running', health: 'healthy' }),
    );
  });

  test.each(['start', 'rename'] as const)(
    'survives an engine restart that stops its containers after %s',
    async (moment) => {
      const uid = server.newUid();
      await server.deploy(uid, [component('main', web({ env: { VERSION: '1' } }))]);
      let stops = 1;
      const restarting = new Proxy(server.engine, {
        get: (engine, property: keyof Engine) => {
          const call = (engine[property] as (id: string, ...more: unknown[]) => Promise<unknown>).bind(engine);
          if (property !== moment || stops-- <= 0) return call;
          return async (id: string, ...more: unknown[]) => {
            await call(id, ...more);
            await engine.stop(id, 0);
          };
        },
      });
      const parts = [component('main', web({ env: { VERSION: '2' } }))];
      expect(await server.deploy(uid, parts, { engine: restarting })).toMatchObject({ status: 'success' });
      const stopped = moment === 'start' ? nextName(uid) : uid;
      const messages = server.log.map(({ message }) => message);
      expect(messages).toContain(`${stopped} was stopped in the meantime; starting it again`);
      expect(await server.inspect(uid)).toMatchObject({ State: { Status: 'running' } });
      expect((await server.inspect(uid)).Config.Env).toContain('VERSION=2');
    },
  );

  test('that cannot even be created never stops the old one', async () => {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', web())]);
    const old = await server.inspect(uid);
    const missing = { name: 'x', host_path: '/no/such/folder', mount_path: '/x', read_only: false, critical: false };
    const result = await server.deploy(uid, [component('main', web({ storage: [missing] }))]);
    expect(result).toMatchObject({ status: 'failed', reason: 'engine', restored: true });
    expect(result.error).toContain('/no/such/folder');
    const now = await server.inspect(uid);
    expect([now.Id, now.State.StartedAt]).toEqual([old.Id, old.State.StartedAt]);
  });

  test('removes components that are no longer declared', async () => {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', sleeper), component('extra', sleeper)]);
    await server.deploy(uid, [component('main', sleeper)]);
    expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([`${uid} running`]);
  });

  test('that is cancelled is rolled back and reports the reason', async () => {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', web())]);
    const old = await server.inspect(uid);
    const cancel = new AbortController();
    const slow = { ...failingCheck, start_period_ms: 60_000 };
    const running = server.deploy(uid, [component('main', web({ healthcheck: slow }))], { signal: cancel.signal });
    await until(() => server.steps().includes('start'), { describe: 'the new container to start' });
    cancel.abort('cancelled');
    expect(await running).toMatchObject({ status: 'failed', reason: 'cancelled', restored: true });
    expect(await server.inspect(uid)).toMatchObject({ Id: old.Id, State: { Status: 'running' } });
  });
});

test('a step without progress ends the rollout, even while others advance', async () => {
  const uid = server.newUid();
  const begun = performance.now();
  await server.deploy(uid, [component('main', web({ env: { VERSION: '1' } }))]);
  // Longer than an empty job takes on a slow machine.
  const seconds = Math.ceil(Math.max(5_000, 2 * (performance.now() - begun)) / 1_000);
  const job = (name: string, sleeps: number, ...after: string[]) =>
    component(name, {
      ...{ kind: 'job', run: 'before_start', image, command: ['sleep', `${sleeps}`] },
      depends_on: Object.fromEntries(after.map((text) => [text, 'completed' as const])),
    });
  const parts = [
    component('main', web({ env: { VERSION: '2' } })),
    ...[job('stuck', 1_000), job('first', 0), job('second', 0, 'first'), job('third', 1_000, 'second')],
  ];
  const result = await server.deploy(uid, parts, { manifest: { deadline_ms: seconds * 1_000 } });
  expect(result).toMatchObject({ status: 'failed', reason: 'deadline', restored: true });
  expect(result.error).toBe(`The step before_start_job:stuck.1 made no progress within ${seconds} s`);
  expect(server.log.map(({ message }) => message).join('\n')).toContain('Job first succeeded');
  expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([`${uid} running`]);
  expect((await server.inspect(uid)).Config.Env).toContain('VERSION=1');
});

describe('components', () => {
  test('start in the order of their dependencies, jobs included', async () => {
    const uid = server.newUid();
    const storage = [{ name: 'log', volume: `${uid}_log`, mount_path: '/log', read_only: false, critical: false }];
    const note = (name: string) => `echo ${name} >> /log/order;`;
    const db = component('db', { ...web({ storage }, `sleep 0.2; ${note('db')}`) });
    const migrate = component('migrate', {
      kind: 'job',
      run: 'before_start',
      image,
      storage,
      command: ['sh', '-c', `wget -q -O - http://${db.host}:8080/health && ${note('migrate')}`],
      depends_on: { db: 'healthy' },
    });
    const app = component('app', web({ storage, depends_on: { migrate: 'completed' } }, note('app')));
    const after = component('after', {
      kind: 'job',
      run: 'after_start',
      image,
      storage,
      command: ['sh', '-c', note('after')],
    });
    const result = await server.deploy(uid, [db, migrate, app, after]);
    expect(result).toMatchObject({ status: 'success' });
    expect(await server.run(`${uid}-app`, 'cat', '/log/order')).toBe('db\nmigrate\napp\nafter\n');
    expect(await server.names()).toEqual(
      expect.arrayContaining([`${uid} running`, `${uid}-app running`, `${uid}-migrate exited`, `${uid}-after exited`]),
    );
    await server.deploy(uid, [db, migrate, app, after]);
    expect(server.steps()).toEqual([]);
  });

  test('a job that fails stops the rollout before anything is replaced', async () => {
    const uid = server.newUid();
    const job = { kind: 'job', run: 'before_start', image } as const;
    const parts = (version: string, command: string) => [
      component('migrate', { ...job, command: ['sh', '-c', command] }),
      component('app', web({ env: { version } })),
    ];
    await server.deploy(uid, parts('1', 'true'));
    const old = await server.inspect(uid);
    const result = await server.deploy(uid, parts('2', 'echo column exists; exit 7'));
    expect(result).toMatchObject({ status: 'failed', reason: 'job_failed', restored: true });
    expect(result.error).toMatch(/migrate exited with code 7[\s\S]*column exists/);
    expect(await server.inspect(uid)).toMatchObject({ Id: old.Id, State: { StartedAt: old.State.StartedAt } });
  });

  test('several replicas run side by side', async () => {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', web({ replicas: 2 }))]);
    expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([
      `${uid} running`,
      `${uid}.2 running`,
    ]);
  });
});

test('a rollout interrupted after any number of engine calls is completed by the next one', {
  timeout: 120_000,
}, async () => {
  // The engine fails at the nth changing call, as seen by a daemon that is killed there.
  for (const survived of [1, 2, 3, 4, 5]) {
    const uid = server.newUid();
    await server.deploy(uid, [component('main', web({ env: { V: '1' } }))]);
    let left = survived;
    const changing = ['create', 'start', 'stop', 'remove', 'rename', 'inspect'];
    const dying = new Proxy(server.engine, {
      get: (engine, property) => {
        const name = property as keyof Engine;
        const method = engine[name] as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (changing.includes(name) && left-- <= 0) throw new Error('killed');
          return left < 0 ? Promise.reject(new Error('killed')) : method.apply(engine, args);
        };
      },
    });
    const parts = [component('main', web({ env: { V: '2' } }))];
    expect(await server.deploy(uid, parts, { engine: dying })).toMatchObject({ status: 'failed' });
    expect(await server.deploy(uid, parts)).toMatchObject({ status: 'success' });
    expect((await server.inspect(uid)).Config.Env).toContain('V=2');
    expect((await server.names()).filter((name) => name.startsWith(uid))).toEqual([`${uid} running`]);
  }
});

describe('objects of other owners', () => {
  test('a container with a needed name is left alone and named in the error', async () => {
    const uid = server.newUid();
    await askDocker(server.socketPath, 'POST', `/containers/create?name=${uid}`, { Image: image });
    try {
      const result = await server.deploy(uid, [component('main', sleeper)]);
      expect(result).toMatchObject({ status: 'failed', reason: 'name_taken' });
      expect(result.error).toContain(uid);
      expect((await server.inspect(uid)).State.Status).toBe('created');
    } finally {
      await server.remove(uid);
    }
  });

  test('a volume with a needed name is not mounted', async () => {
    const uid = server.newUid();
    const volume = `${uid}_data`;
    await askDocker(server.socketPath, 'POST', '/volumes/create', { Name: volume });
    try {
      const storage = [{ name: 'data', volume, mount_path: '/data', read_only: false, critical: false }];
      const result = await server.deploy(uid, [component('main', { ...sleeper, storage })]);
      expect(result.error).toContain(`create volume ${volume}: it exists already`);
    } finally {
      await server.engine.removeVolume(volume);
    }
  });

  test.each(['../../etc', 'a b', 'a/b', '', '-rm', 'ü', 'x\nhortus.server=other', 'a?force=true'])(
    'an instance named %j is refused before any engine call',
    async (uid) => {
      const result = await server.deploy(uid, [component('main', sleeper)]);
      expect(result).toMatchObject({ status: 'failed', reason: 'manifest' });
    },
  );

  test('labels of a manifest cannot impersonate another server', async () => {
    const uid = server.newUid();
    const labels = { 'hortus.server': 'srv_other', 'hortus.instance': 'other', team: 'blue' };
    await server.deploy(uid, [component('main', { ...sleeper, labels })]);
    expect((await server.inspect(uid)).Config.Labels).toMatchObject({
      'hortus.server': server.id,
      'hortus.instance': uid,
      team: 'blue',
    });
  });
});
