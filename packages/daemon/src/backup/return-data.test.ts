import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { component } from '../plan/testing/manifests.ts';
import { image } from '../rollout/testing/server.ts';
import { action } from '../testing/actions.ts';
import { DaemonProcess, sleeper } from '../testing/daemon-process.ts';
import { Signer } from '../testing/signing.ts';
import type { Taken } from './take.ts';

let daemon: DaemonProcess;
beforeAll(async () => {
  daemon = await DaemonProcess.start();
  await daemon.connected();
});
afterAll(() => daemon.close());

/** Each test runs several rollouts and copies, which take long on a busy machine. */
vi.setConfig({ testTimeout: 150_000 });
const key = randomBytes(32).toString('base64');
let executions = 0;
const newBackup = () => `bkp_${randomBytes(8).toString('hex')}`;

interface Done extends Record<string, unknown> {
  result: Taken & { safety: Taken };
}

/** Sends a built-in action, as the service does; sending it again is what the service does after a daemon restart. */
function order(slug: string, uid: string, params: Record<string, unknown>, on = daemon, id = `exe_${++executions}`) {
  const action = { slug, type: 'builtin', command: [], timeout: '3600s' };
  const secret = { key, safety_key: key };
  on.service.send({
    type: 'action_request',
    execution_id: id,
    instance_id: 'ins_1',
    container_name: uid,
    action,
    params: { ...secret, ...params },
  });
  return id;
}
const run = (slug: string, uid: string, params: Record<string, unknown>, on = daemon) =>
  on.resultOf(order(slug, uid, params, on)) as Promise<Done>;

const volume = (uid: string, name: string) => ({
  name,
  volume: `${uid}_${name}`,
  mount_path: `/${name}`,
  read_only: false,
  critical: true,
});
const none = { dump_action: null, schedule_hint: null };
const copied = { strategy: 'volume' as const, volumes: [{ name: 'data', critical: true }], ...none };

/** An application with a volume at /data and a version. */
const page = (uid: string, version: string): ManifestComponent =>
  sleeper({ storage: [volume(uid, 'data')], env: { VERSION: version }, stop_grace_period_ms: 0 });

async function deploy(uid: string, parts: ManifestComponent[], more: Partial<Manifest>, on = daemon) {
  expect(await on.reportOf(on.order(uid, parts, more))).toMatchObject({ status: 'success' });
}

async function backUp(uid: string, on = daemon) {
  const backup_id = newBackup();
  const { type, error, result } = await run('hortus.backup', uid, { backup_id }, on);
  expect(type, String(error)).toBe('action_completed');
  return { backup_id, manifest_sha256: result.manifest_sha256 };
}

const inside = (name: string, script: string, on = daemon) => on.server.run(name, 'sh', '-c', script);
const containersOf = async (uid: string, on = daemon) =>
  (await on.server.engine.containers({ labels: { 'hortus.instance': uid } })).map(({ name }) => name).sort();

describe('returning the data of an earlier revision', () => {
  /** Version 1 with a backup, then version 2 with its own data. */
  async function upgraded(on = daemon) {
    const uid = on.server.newUid();
    await deploy(uid, [page(uid, '1')], { backup: copied }, on);
    await inside(uid, 'echo old > /data/words', on);
    const backup = await backUp(uid, on);
    await deploy(uid, [page(uid, '2')], { backup: copied }, on);
    await inside(uid, 'echo new > /data/words; echo more > /data/more', on);
    const waiting = on.prepare(uid, [page(uid, '1')], { backup: copied });
    const params = { ...backup, safety_backup_id: newBackup(), deployment_id: waiting, revision: 1, resume: true };
    return { uid, waiting, params };
  }
  const now = (uid: string, on = daemon) => inside(uid, 'echo "$VERSION"; cat /data/words; ls /data', on);

  test('happens before the waiting deployment starts, and nothing runs in between', async () => {
    const { uid, waiting, params } = await upgraded();
    const done = await run('hortus.return_data', uid, params);
    expect(done, String(done.error)).toMatchObject({ type: 'action_completed' });
    expect(await containersOf(uid)).toEqual([]);
    daemon.offer(waiting);
    expect(await daemon.reportOf(waiting)).toMatchObject({ status: 'success' });
    expect(await now(uid)).toBe('1\nold\nwords\n');

    // The replaced data is a normal backup.
    const { safety } = done.result;
    const undo = { backup_id: params.safety_backup_id, manifest_sha256: safety.manifest_sha256 };
    await run('hortus.restore', uid, { ...undo, safety_backup_id: newBackup() });
    expect(await now(uid)).toBe('1\nnew\nmore\nwords\n');
  });

  test('from a damaged backup or for an unsigned deployment changes nothing', async () => {
    const { uid, params } = await upgraded();
    const file = join(daemon.stateDirectory, 'backups', uid, params.backup_id, 'volume-data.part');
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, -1));
    expect(await run('hortus.return_data', uid, params)).toMatchObject({
      type: 'action_failed',
      error: expect.stringContaining('volume data cannot be used'),
    });
    writeFileSync(file, whole);
    const forged = daemon.prepare(uid, [page(uid, '1')], { backup: copied }, { forgedBy: new Signer() });
    expect(await run('hortus.return_data', uid, { ...params, deployment_id: forged })).toMatchObject({
      type: 'action_failed',
      error: expect.stringContaining('not signed'),
    });
    expect(await run('hortus.return_data', uid, { ...params, revision: 7 })).toMatchObject({
      type: 'action_failed',
      error: expect.stringContaining('revision 1, not of 7'),
    });
    expect(await now(uid)).toBe('2\nnew\nmore\nwords\n');
  });

  test.each(['removed for a restore', 'data is back'])(
    'is completed when the daemon is killed at: %s',
    async (killAt) => {
      const killed = await DaemonProcess.start({ killAt });
      try {
        await killed.connected();
        const { uid, waiting, params } = await upgraded(killed);
        const execution = order('hortus.return_data', uid, params, killed);
        await killed.died();
        order('hortus.return_data', uid, params, killed, execution);
        expect(await killed.resultOf(execution)).toMatchObject({ type: 'action_completed' });
        expect(await containersOf(uid, killed)).toEqual([]);
        killed.offer(waiting);
        expect(await killed.reportOf(waiting)).toMatchObject({ status: 'success' });
        expect(await now(uid, killed)).toBe('1\nold\nwords\n');
      } finally {
        await killed.close();
      }
    },
  );
});

describe('a dump', () => {
  const backup = {
    strategy: 'dump' as const,
    volumes: [],
    dump_action: 'dump',
    schedule_hint: null,
    restore_command: ['sh', '-c', 'cat > /rows/table'],
  };
  const more = (version: string): Partial<Manifest> => ({
    backup: { ...backup, ...(version === '3' && { restore_command: ['sh', '-c', 'echo no >&2; exit 4'] }) },
    actions: [action('dump', ['cat', '/rows/table'], { component: 'db' })],
  });
  const parts = (uid: string, version: string): ManifestComponent[] => {
    const idle = { image, command: ['sleep', '100000'], init: true, stop_grace_period_ms: 0 };
    return [
      component('main', { ...idle, env: { VERSION: version }, depends_on: { db: 'started' } }),
      component('db', { ...idle, storage: [volume(uid, 'rows')] }),
    ];
  };

  async function upgraded(target: string) {
    const uid = daemon.server.newUid();
    await deploy(uid, parts(uid, '1'), more('1'));
    await inside(`${uid}-db`, 'echo old > /rows/table');
    const backup = await backUp(uid);
    await deploy(uid, parts(uid, '2'), more('2'));
    await inside(`${uid}-db`, 'echo new > /rows/table; echo added > /rows/index');
    const waiting = daemon.prepare(uid, parts(uid, target), more(target));
    return { uid, waiting, params: { ...backup, safety_backup_id: newBackup(), deployment_id: waiting, revision: 1 } };
  }
  const rows = (uid: string) => inside(`${uid}-db`, 'cat /rows/table; ls /rows');

  test('is restored by its component with empty volumes, before the application starts', async () => {
    const { uid, waiting, params } = await upgraded('1');
    const done = await run('hortus.return_data', uid, params);
    expect(done, String(done.error)).toMatchObject({ type: 'action_completed' });
    expect(await containersOf(uid)).toEqual([`${uid}-db`]);
    expect(await rows(uid)).toBe('old\ntable\n');
    const { startedAt } = (await daemon.server.engine.inspect(`${uid}-db`)) ?? {};
    daemon.offer(waiting);
    expect(await daemon.reportOf(waiting)).toMatchObject({ status: 'success' });
    expect(await containersOf(uid)).toEqual([uid, `${uid}-db`]);
    expect((await daemon.server.engine.inspect(`${uid}-db`))?.startedAt).toBe(startedAt);
    expect(await inside(uid, 'echo "$VERSION"')).toBe('1\n');
  });

  test('that cannot be restored brings the previous data back: running, or stopped if the data belongs to another version', async () => {
    const { uid, params } = await upgraded('3');
    const failed = await run('hortus.return_data', uid, params);
    expect(failed).toMatchObject({
      type: 'action_failed',
      error: expect.stringMatching(/exited with code 4: no.*was restored/s),
    });
    expect(await containersOf(uid)).toEqual([]);
    const again = { ...params, safety_backup_id: newBackup(), resume: true };
    expect(await run('hortus.return_data', uid, again)).toMatchObject({ type: 'action_failed' });
    expect(await inside(uid, 'echo "$VERSION"')).toBe('2\n');
    expect(await rows(uid)).toBe('new\nindex\ntable\n');
  });
});
