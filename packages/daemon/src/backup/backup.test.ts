import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@hortus/contract/template/manifest';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { component } from '../plan/testing/manifests.ts';
import { image } from '../rollout/testing/server.ts';
import { action } from '../testing/actions.ts';
import { DaemonProcess, sleeper } from '../testing/daemon-process.ts';
import type { Taken } from './take.ts';

let daemon: DaemonProcess;
beforeAll(async () => {
  daemon = await DaemonProcess.start();
  await daemon.connected();
});
afterAll(() => daemon.close());

/** Tests that start their own daemon take longer on a busy machine. */
const LONG = 120_000;

const key = randomBytes(32).toString('base64');
let executions = 0;
const newBackup = () => `bkp_${randomBytes(8).toString('hex')}`;

/** Sends a built-in action, as the service does. */
function order(slug: string, uid: string, params: Record<string, unknown>, on = daemon): string {
  const execution_id = `exe_backup_${++executions}`;
  on.service.send(request(execution_id, slug, uid, params));
  return execution_id;
}

const request = (execution_id: string, slug: string, uid: string, params: Record<string, unknown>) => ({
  type: 'action_request',
  execution_id,
  instance_id: 'ins_1',
  container_name: uid,
  action: { slug, type: 'builtin', command: [], timeout: '3600s' },
  params: { key, safety_key: key, ...params },
});

const run = (slug: string, uid: string, params: Record<string, unknown>, on = daemon) =>
  on.resultOf(order(slug, uid, params, on)) as Promise<Record<string, unknown> & { result: Taken }>;

const declared = { strategy: 'volume', volumes: [{ name: 'data', critical: true }] } as const;
const noDump = { dump_action: null, schedule_hint: null };
const smoke = (file: string): Manifest['smoke'] => [{ exec: { component: 'main', command: ['test', '-s', file] } }];

/** An application with a volume at /data. */
async function deploy(more: Partial<Manifest> = {}, on = daemon): Promise<string> {
  const uid = on.server.newUid();
  const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
  const deployment = on.order(uid, [sleeper({ storage, stop_grace_period_ms: 0 })], {
    backup: { ...declared, ...noDump, volumes: [...declared.volumes] },
    ...more,
  });
  expect(await on.reportOf(deployment)).toMatchObject({ status: 'success' });
  return uid;
}

const inside = (uid: string, script: string, on = daemon) => on.server.run(uid, 'sh', '-c', script);

/** Makes a backup and returns the parameters of a restore. */
async function backedUp(uid: string) {
  const backup_id = newBackup();
  const done = await run('hortus.backup', uid, { backup_id });
  expect(done).toMatchObject({ type: 'action_completed' });
  return { backup_id, manifest_sha256: done.result.manifest_sha256, manifest: done.result.manifest };
}

const folderOf = (uid: string, backup: string) => join(daemon.stateDirectory, 'backups', uid, backup);
const stateOf = async (uid: string) => (await daemon.server.engine.inspect(uid))?.state;

test('a restore brings the data of the backup back and saves the replaced data', async () => {
  const uid = await deploy({ smoke: smoke('/data/words') });
  await inside(uid, 'echo before > /data/words; ln -s words /data/link');
  const { backup_id, manifest_sha256, manifest } = await backedUp(uid);
  expect(manifest).toMatchObject({ backup_id, instance_uid: uid, revision: 1, spec_hash: `sha256:${'0'.repeat(64)}` });
  expect(manifest.parts).toMatchObject([{ kind: 'volume', name: 'data', entries: 2, chunks: 1 }]);
  expect(manifest.stopped_ms).toBeGreaterThan(0);
  expect(await stateOf(uid)).toBe('running');

  await inside(uid, 'echo after > /data/words; rm /data/link; echo new > /data/new');
  const safety_backup_id = newBackup();
  const restored = await run('hortus.restore', uid, { backup_id, manifest_sha256, safety_backup_id });
  expect(restored).toMatchObject({ type: 'action_completed' });
  expect(await inside(uid, 'cat /data/link; ls /data')).toBe('before\nlink\nwords\n');

  const { safety } = restored.result as unknown as { safety: Taken };
  const undone = {
    backup_id: safety_backup_id,
    manifest_sha256: safety.manifest_sha256,
    safety_backup_id: newBackup(),
  };
  expect(await run('hortus.restore', uid, undone)).toMatchObject({ type: 'action_completed' });
  expect(await inside(uid, 'cat /data/words; ls /data')).toBe('after\nnew\nwords\n');
});

test('a dump for an empty database is restored and verified before the rest of the application starts', async () => {
  const uid = daemon.server.newUid();
  const idle = { image, command: ['sleep', '100000'], init: true, stop_grace_period_ms: 0 };
  const mount = (name: string, critical = true) => ({
    name,
    volume: `${uid}_${name}`,
    mount_path: `/${name}`,
    read_only: false,
    critical,
  });
  // The application fails to start unless the dump has been restored into a database that the job has prepared.
  const started = ['sh', '-c', 'test -s /rows/table || test ! -e /data/used; exec sleep 100000'];
  const parts = [
    component('main', {
      ...idle,
      command: started,
      storage: [mount('data'), mount('rows')],
      depends_on: { setup: 'completed' },
    }),
    // No dump rebuilds its settings.
    component('db', { ...idle, storage: [mount('rows'), mount('settings', false)] }),
    component('setup', {
      ...idle,
      kind: 'job',
      run: 'before_start',
      command: ['touch', '/rows/prepared'],
      storage: [mount('rows')],
      depends_on: { db: 'started' },
      restart: 'no',
    }),
  ];
  const restore = 'test -e /rows/prepared && test ! -e /rows/later && test ! -e /rows/table && cat > /rows/table';
  const deployment = daemon.order(uid, parts, {
    actions: [action('dump', ['cat', '/rows/table'], { component: 'db' })],
    smoke: smoke('/rows/table'),
    backup: {
      strategy: 'both',
      volumes: [{ name: 'data', critical: true }],
      dump_action: 'dump',
      schedule_hint: null,
      restore_command: ['sh', '-c', restore],
      restore_needs: ['setup'],
    },
  });
  expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });
  await inside(uid, 'echo old > /rows/table; echo old > /data/used');
  await inside(`${uid}-db`, 'echo kept > /settings/words');
  const { backup_id, manifest_sha256, manifest } = await backedUp(uid);
  expect(manifest.parts).toMatchObject([
    { kind: 'dump', name: 'dump' },
    { kind: 'volume', name: 'data' },
  ]);
  await inside(uid, 'echo new > /rows/table; echo new > /rows/later; echo new > /data/used');

  const verified = await run('hortus.verify_backup', uid, { backup_id, manifest_sha256 });
  expect(verified, String(verified.error)).toMatchObject({ type: 'action_completed', result: { proof: 'restored' } });
  expect(await inside(uid, 'cat /rows/table')).toBe('new\n');

  const restored = await run('hortus.restore', uid, { backup_id, manifest_sha256, safety_backup_id: newBackup() });
  expect(restored, String(restored.error)).toMatchObject({ type: 'action_completed' });
  expect(await inside(uid, 'cat /rows/table /data/used; ls /rows')).toBe('old\nold\nprepared\ntable\n');
  expect(await inside(`${uid}-db`, 'cat /settings/words')).toBe('kept\n');

  // The order decides over the manifest: the restore command finds the database as it is, and refuses it.
  const refused = { backup_id, manifest_sha256, safety_backup_id: newBackup(), restore_into: 'running' };
  expect(await run('hortus.restore', uid, refused)).toMatchObject({
    type: 'action_failed',
    error: expect.stringContaining('The previous data was restored.'),
  });
  expect(await inside(uid, 'cat /rows/table')).toBe('old\n');
}, 120_000);

test.each(['removed for a restore', 'emptied for a restore', 'dump is restored'])(
  'a restore of a dump is completed by the daemon that follows one killed at: %s',
  async (killAt) => {
    const killed = await DaemonProcess.start({ killAt });
    try {
      await killed.connected();
      const uid = killed.server.newUid();
      const storage = [{ name: 'rows', volume: `${uid}_rows`, mount_path: '/rows', read_only: false, critical: true }];
      const started = ['sh', '-c', 'cat /rows/table > /cache; exec sleep 100000'];
      const deployment = killed.order(
        uid,
        [
          component('main', {
            image,
            command: started,
            stop_grace_period_ms: 0,
            storage,
            depends_on: { db: 'started' },
          }),
          component('db', { image, command: ['sleep', '100000'], stop_grace_period_ms: 0, storage }),
        ],
        {
          actions: [action('dump', ['cat', '/rows/table'], { component: 'db' })],
          backup: {
            strategy: 'dump',
            volumes: [],
            dump_action: 'dump',
            schedule_hint: null,
            restore_command: ['sh', '-c', 'test ! -e /rows/later && cat > /rows/table'],
          },
        },
      );
      expect(await killed.reportOf(deployment)).toMatchObject({ status: 'success' });
      await inside(uid, 'echo old > /rows/table', killed);
      const backup_id = newBackup();
      const taken = await run('hortus.backup', uid, { backup_id }, killed);
      expect(taken, String(taken.error)).toMatchObject({ type: 'action_completed' });
      await inside(uid, 'echo new > /rows/table; echo new > /rows/later', killed);
      const params = {
        backup_id,
        manifest_sha256: taken.result.manifest_sha256,
        safety_backup_id: newBackup(),
        restore_into: 'empty',
      };
      const execution = order('hortus.restore', uid, params, killed);
      await killed.died();
      killed.service.send(request(execution, 'hortus.restore', uid, params));
      const done = await killed.resultOf(execution);
      expect(done, String(done.error)).toMatchObject({ type: 'action_completed' });
      expect(await inside(uid, 'cat /rows/table /cache; ls /rows', killed)).toBe('old\nold\ntable\n');
    } finally {
      await killed.close();
    }
  },
  LONG,
);

test('an order without a parameter that it needs is refused by its name, before anything is touched', async () => {
  const uid = await deploy();
  const { backup_id } = await backedUp(uid);
  const refused = await run('hortus.restore', uid, { backup_id, safety_backup_id: newBackup() });
  expect(refused).toMatchObject({
    type: 'action_failed',
    error: expect.stringContaining('hortus.restore: manifest_sha256: is missing'),
  });
  expect(await stateOf(uid)).toBe('running');
});

test('a backup that is repeated under its id is sealed under another key', async () => {
  const uid = await deploy();
  const backup_id = newBackup();
  const part = () => readFileSync(join(folderOf(uid, backup_id), 'volume-data.part'));
  const sealed: Buffer[] = [];
  for (const _ of [1, 2]) {
    expect(await run('hortus.backup', uid, { backup_id })).toMatchObject({ type: 'action_completed' });
    sealed.push(part());
  }
  const [first, second] = sealed as [Buffer, Buffer];
  // The volume is unchanged, so under the same key the sealed content would be equal.
  expect(first.length).toBe(second.length);
  expect(first.subarray(0, 8).toString()).toBe('HORTUSB2');
  expect(first.subarray(8).equals(second.subarray(8))).toBe(false);
  expect(first.subarray(40, 80).equals(second.subarray(40, 80))).toBe(false);
});

test('a destroyed volume is restored', async () => {
  const uid = await deploy();
  await inside(uid, 'echo precious > /data/words');
  const { backup_id, manifest_sha256 } = await backedUp(uid);
  await daemon.server.engine.remove(uid, { force: true });
  await daemon.server.engine.removeVolume(`${uid}_data`);
  const restored = await run('hortus.restore', uid, { backup_id, manifest_sha256, safety_backup_id: newBackup() });
  expect(restored).toMatchObject({ type: 'action_completed' });
  expect(await inside(uid, 'cat /data/words')).toBe('precious\n');
});

test('a dump is taken without downtime and restored by the restore command', async () => {
  const uid = await deploy({
    actions: [action('dump', ['cat', '/data/words'])],
    backup: {
      strategy: 'dump',
      volumes: [],
      dump_action: 'dump',
      schedule_hint: null,
      restore_command: ['sh', '-c', 'cat > /data/words'],
    },
    smoke: smoke('/data/words'),
  });
  const { startedAt } = (await daemon.server.engine.inspect(uid)) ?? {};
  await inside(uid, 'seq 1 200000 > /data/words');
  const { backup_id, manifest_sha256, manifest } = await backedUp(uid);
  expect(manifest).toMatchObject({ stopped_ms: 0, parts: [{ kind: 'dump', name: 'dump', bytes: 1_288_895 }] });
  expect((await daemon.server.engine.inspect(uid))?.startedAt).toBe(startedAt);
  await inside(uid, 'echo lost > /data/words');
  expect(await run('hortus.verify_backup', uid, { backup_id, manifest_sha256 })).toMatchObject({
    type: 'action_completed',
    result: { proof: 'restored' },
  });
  expect(await inside(uid, 'cat /data/words')).toBe('lost\n');
  const restored = await run('hortus.restore', uid, { backup_id, manifest_sha256, safety_backup_id: newBackup() });
  expect(restored).toMatchObject({ type: 'action_completed' });
  expect(await inside(uid, 'wc -c < /data/words')).toBe('1288895\n');
});

test('a failed or empty dump fails the backup and leaves nothing behind', async () => {
  const actions = [action('dump', ['sh', '-c', 'echo half; echo "no such table" >&2; exit 3'])];
  const backup = { strategy: 'dump' as const, volumes: [], dump_action: 'dump', schedule_hint: null };
  const failing = await deploy({ actions, backup });
  const backup_id = newBackup();
  expect(await run('hortus.backup', failing, { backup_id })).toMatchObject({
    type: 'action_failed',
    error: 'sh exited with code 3: no such table.',
  });
  expect(() => readdirSync(folderOf(failing, backup_id))).toThrow('ENOENT');
  const silent = await deploy({ actions: [action('dump', ['true'])], backup });
  expect(await run('hortus.backup', silent, { backup_id })).toMatchObject({
    type: 'action_failed',
    error: 'dump produced no output, so there is nothing to back up.',
  });
});

test('verify restores the backup temporarily; it reports a flipped byte, truncation and an empty volume', async () => {
  const uid = await deploy({ smoke: smoke('/data/words') });
  await inside(uid, 'echo words > /data/words; dd if=/dev/urandom of=/data/large bs=1M count=3 2>/dev/null');
  const { backup_id, manifest_sha256 } = await backedUp(uid);
  await inside(uid, 'rm /data/*');
  const verified = await run('hortus.verify_backup', uid, { backup_id, manifest_sha256 });
  expect(verified).toMatchObject({ type: 'action_completed', result: { proof: 'restored' } });
  expect(verified.output).toContain('passed');
  const trials = { labels: { 'hortus.server': `${daemon.serverId}-trial` } };
  expect(await daemon.server.engine.containers(trials)).toEqual([]);
  expect(await daemon.server.engine.volumes(trials)).toEqual([]);
  expect(await daemon.server.engine.networks(trials)).toEqual([]);

  const file = join(folderOf(uid, backup_id), 'volume-data.part');
  const whole = readFileSync(file);
  const errorAfter = async (content: Buffer, slug = 'hortus.verify_backup') => {
    writeFileSync(file, content);
    const failed = await run(slug, uid, { backup_id, manifest_sha256, safety_backup_id: newBackup() });
    expect(failed.type).toBe('action_failed');
    return failed.error;
  };
  const flipped = Buffer.from(whole);
  flipped[2_000_000] = (flipped[2_000_000] ?? 0) ^ 4;
  expect(await errorAfter(flipped)).toBe('The backup of volume data cannot be used: chunk 2 is damaged.');
  expect(await errorAfter(whole.subarray(0, -1))).toMatch('volume data cannot be used: it is cut off in chunk');
  // A restore changes nothing then either.
  expect(await errorAfter(flipped, 'hortus.restore')).toBe(
    'The backup of volume data cannot be used: chunk 2 is damaged.',
  );
  expect(await inside(uid, 'ls /data')).toBe('');

  const empty = await backedUp(uid);
  expect(await run('hortus.verify_backup', uid, empty)).toMatchObject({ error: 'The volume data is empty.' });
});

test('verify fails if the restored application fails its test', async () => {
  const uid = await deploy({ smoke: smoke('/data/absent') });
  await inside(uid, 'echo words > /data/words');
  const { backup_id, manifest_sha256 } = await backedUp(uid);
  const failed = await run('hortus.verify_backup', uid, { backup_id, manifest_sha256 });
  expect(failed.error).toMatch(/^The restored application failed its test. test -s \/data\/absent in main/);
});

test('keys are never written to disk, and a deleted backup is gone', async () => {
  const uid = await deploy();
  await inside(uid, 'echo words > /data/words');
  const { backup_id, manifest_sha256 } = await backedUp(uid);
  for (const name of readdirSync(daemon.stateDirectory).filter((text) => text.startsWith('journal')))
    expect(readFileSync(join(daemon.stateDirectory, name)).includes(key)).toBe(false);
  expect(readFileSync(join(folderOf(uid, backup_id), 'volume-data.part')).includes('words')).toBe(false);
  expect(await run('hortus.delete_backup', uid, { backup_id })).toMatchObject({ type: 'action_completed' });
  expect(() => readdirSync(folderOf(uid, backup_id))).toThrow('ENOENT');
  expect(await run('hortus.verify_backup', uid, { backup_id, manifest_sha256 })).toMatchObject({
    type: 'action_failed',
    error: expect.stringMatching(/^The backup cannot be read/),
  });
  expect(await run('hortus.delete_backup', uid, { backup_id: '../..' })).toMatchObject({ type: 'action_failed' });
});

test(
  'kill -9 while the application is stopped for its backup: it runs again before the service connects',
  async () => {
    const killed = await DaemonProcess.start({ killAt: 'stopped for a backup' });
    try {
      await killed.connected();
      const uid = await deploy({}, killed);
      await inside(uid, 'echo words > /data/words', killed);
      const backup_id = newBackup();
      const execution = order('hortus.backup', uid, { backup_id }, killed);
      await killed.process.exited;
      expect((await killed.server.engine.inspect(uid))?.state).toBe('exited');
      killed.service.greeting = undefined;
      await killed.died();
      await until(async () => (await killed.server.engine.inspect(uid))?.state === 'running', {
        describe: () => `the application to run\n${killed.process.output}`,
      });
      // The key was only in the killed process; the service resends the order and the backup is made.
      killed.service.send(request(execution, 'hortus.backup', uid, { backup_id }));
      await until(() => killed.service.callsTo('PUT', `/actions/${execution}`)[0], { describe: 'the result' });
      const [{ body } = { body: {} }] = killed.service.callsTo('PUT', `/actions/${execution}`);
      expect(body).toMatchObject({ status: 'completed', result: { manifest: { parts: [{ entries: 1 }] } } });
    } finally {
      await killed.close();
    }
  },
  LONG,
);

test(
  'kill -9 during a restore: the restore is completed, and the safety backup is not made again',
  async () => {
    const killed = await DaemonProcess.start({ killAt: 'removed for a restore' });
    const order_ = (slug: string, uid: string, params: Record<string, unknown>) =>
      killed.resultOf(order(slug, uid, params, killed)) as Promise<Record<string, unknown> & { result: Taken }>;
    try {
      await killed.connected();
      const uid = await deploy({}, killed);
      await inside(uid, 'echo before > /data/words', killed);
      const backup_id = newBackup();
      const { manifest_sha256 } = (await order_('hortus.backup', uid, { backup_id })).result;
      await inside(uid, 'echo after > /data/words', killed);
      const params = { backup_id, manifest_sha256, safety_backup_id: newBackup() };
      const execution = order('hortus.restore', uid, params, killed);
      await killed.process.exited;
      expect(await killed.server.engine.inspect(uid)).toBeUndefined();
      await killed.died();
      killed.service.send(request(execution, 'hortus.restore', uid, params));
      const { result, type } = await killed.resultOf(execution);
      expect(type).toBe('action_completed');
      expect(await inside(uid, 'cat /data/words', killed)).toBe('before\n');
      const { safety } = result as { safety: Taken };
      const undo = { backup_id: params.safety_backup_id, manifest_sha256: safety.manifest_sha256 };
      expect(await order_('hortus.restore', uid, { ...undo, safety_backup_id: newBackup() })).toMatchObject({
        type: 'action_completed',
      });
      expect(await inside(uid, 'cat /data/words', killed)).toBe('after\n');
    } finally {
      await killed.close();
    }
  },
  LONG,
);
