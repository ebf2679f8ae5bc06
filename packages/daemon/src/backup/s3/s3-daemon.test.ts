import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type S3Server, startS3 } from '@hortus/testkit/s3';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DaemonProcess, sleeper } from '../../testing/daemon-process.ts';
import type { Taken } from '../take.ts';

/** A daemon with backups in a bucket, and a real engine. */
const folder = temporaryFolder('s3-daemon');
const key = randomBytes(32).toString('base64');
let s3: S3Server;
let daemon: DaemonProcess;
beforeAll(async () => {
  s3 = await startS3();
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = s3.credentials;
  const credentials = join(folder.path, 'credentials.json');
  writeFileSync(credentials, JSON.stringify({ access_key_id, secret_access_key }), { mode: 0o600 });
  const options = [
    ...['--s3-bucket', s3.bucket, '--s3-endpoint', s3.endpoint, '--s3-region', s3.region],
    ...['--s3-prefix', 'web-1', '--s3-credentials-file', credentials],
  ];
  daemon = await DaemonProcess.start({ options });
  await daemon.connected();
});
afterAll(async () => {
  await daemon?.close();
  await s3?.[Symbol.asyncDispose]();
  await folder.remove();
});

let executions = 0;
function run(slug: string, uid: string, params: Record<string, unknown>) {
  const execution_id = `exe_s3_${++executions}`;
  daemon.service.send({
    type: 'action_request',
    execution_id,
    instance_id: 'ins_1',
    container_name: uid,
    action: { slug, type: 'builtin', command: [], timeout: '3600s' },
    params: { key, safety_key: key, ...params },
  });
  return daemon.resultOf(execution_id) as Promise<Record<string, unknown> & { result: Taken & { address: string } }>;
}

test('a backup is stored in the bucket, verified, restored and removed', { timeout: 180_000 }, async () => {
  const uid = daemon.server.newUid();
  const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
  const volumes = [{ name: 'data', critical: true }];
  const backup = { strategy: 'volume' as const, volumes, dump_action: null, schedule_hint: null };
  const deployed = daemon.order(uid, [sleeper({ storage, stop_grace_period_ms: 0 })], { backup });
  expect(await daemon.reportOf(deployed)).toMatchObject({ status: 'success' });
  const inside = (script: string) => daemon.server.run(uid, 'sh', '-c', script);
  await inside('echo precious > /data/words; head -c 40000000 /dev/urandom > /data/noise');
  const sum = await inside('md5sum /data/noise');

  const done = await run('hortus.backup', uid, { backup_id: 'bkp_s3' });
  expect(done, String(done.error)).toMatchObject({ type: 'action_completed' });
  const { manifest, manifest_sha256, address } = done.result;
  expect(address).toContain(`s3://${s3.bucket}/web-1/`);
  const place = `web-1/${uid}/bkp_s3`;
  expect([...s3.objects.keys()].sort()).toEqual([`${place}/manifest.json`, `${place}/volume-data.part`]);
  expect(s3.objects.get(`${place}/volume-data.part`)?.length).toBe(manifest.parts[0]?.stored_bytes);
  expect(s3.asked.some((line) => line.includes('partNumber=2'))).toBe(true);
  expect(existsSync(join(daemon.stateDirectory, 'backups'))).toBe(false);

  await inside('rm /data/words /data/noise');
  const source = { backup_id: 'bkp_s3', manifest_sha256 };
  const restored = await run('hortus.restore', uid, { ...source, safety_backup_id: 'bkp_safe' });
  expect(restored, String(restored.error)).toMatchObject({ type: 'action_completed' });
  expect(await inside('cat /data/words')).toBe('precious\n');
  expect(await inside('md5sum /data/noise')).toBe(sum);

  const stored = s3.objects.get(`${place}/volume-data.part`) ?? expect.fail('the object is missing');
  stored[stored.length >> 1] = (stored[stored.length >> 1] ?? 0) ^ 1;
  const verified = await run('hortus.verify_backup', uid, source);
  expect(verified).toMatchObject({ type: 'action_failed', error: expect.stringContaining('volume data') });

  for (const backup_id of ['bkp_s3', 'bkp_safe'])
    expect(await run('hortus.delete_backup', uid, { backup_id })).toMatchObject({ type: 'action_completed' });
  expect([s3.objects.size, s3.uploads]).toEqual([0, []]);
  expect(daemon.process.output).not.toContain(s3.credentials.secretAccessKey);
});

test('an error of the bucket is reported as the reason, and the application runs again', {
  timeout: 180_000,
}, async () => {
  const uid = daemon.server.newUid();
  const storage = [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }];
  const volumes = [{ name: 'data', critical: true }];
  const backup = { strategy: 'volume' as const, volumes, dump_action: null, schedule_hint: null };
  const deployed = daemon.order(uid, [sleeper({ storage, stop_grace_period_ms: 0 })], { backup });
  expect(await daemon.reportOf(deployed)).toMatchObject({ status: 'success' });
  s3.trouble = (method) => (method === 'PUT' ? 'unavailable' : undefined);
  const failed = await run('hortus.backup', uid, { backup_id: 'bkp_refused' });
  s3.trouble = () => undefined;
  expect(failed).toMatchObject({ type: 'action_failed', error: expect.stringContaining('SlowDown') });
  expect((await daemon.server.engine.inspect(uid))?.state).toBe('running');
  expect([...s3.objects.keys()].filter((name) => name.includes('bkp_refused'))).toEqual([]);
});
