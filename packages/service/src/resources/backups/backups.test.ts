import type { BackupWishes } from '@hortus/contract/resources/backup-settings';
import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { type InstanceServices, keyOf, openInstanceServices } from '../instances/testing/instance-services.ts';
import { dueJob } from './schedule.ts';
import type { Ordered } from './service.ts';
import { backupResult } from './testing/backup-result.ts';

const DAY = 86_400_000;

const resultOf = ({ backup }: Ordered) => backupResult(backup);

onBothEngines((engine) => {
  const order = (services: InstanceServices, instanceId: string) =>
    services.storage.write((tx) => services.backups.create(tx, services.principal, instanceId));

  /** Sends pending actions to a daemon, which reports their outcome. */
  async function carryOut(
    services: InstanceServices,
    result: Record<string, unknown> | undefined,
    error?: string,
  ): Promise<Record<string, unknown>> {
    const line = await services.connect();
    await services.actions.dispatch(services.serverId, line);
    const sent = line.sent.at(-1) as unknown as { execution_id: string; params: Record<string, unknown> };
    await services.put(
      sent.execution_id,
      error === undefined ? { status: 'completed', ...(result ? { result } : {}) } : { status: 'failed', error },
    );
    return sent.params;
  }

  async function completed(services: InstanceServices, instanceId: string) {
    const ordered = await order(services, instanceId);
    const params = await carryOut(services, resultOf(ordered));
    return { id: ordered.backup.id, key: params.key, uid: ordered.backup.instance_uid };
  }

  const read = (services: InstanceServices, id: string) => services.backups.read(services.principal, id);
  const types = async (services: InstanceServices, id: string) => (await services.events(id)).map(({ type }) => type);

  describe('backups', () => {
    it('are made by the daemon, with a key that only it gets, and described by its report', async () => {
      const services = await openInstanceServices(engine);
      const { id } = await services.running();
      const ordered = await order(services, id);
      expect(ordered.backup).toMatchObject({ status: 'pending', kind: 'manual', parts: [], last_verified: null });
      expect(ordered.execution).toMatchObject({ slug: 'hortus.backup', params: { backup_id: ordered.backup.id } });
      const params = await carryOut(services, resultOf(ordered));
      expect(Buffer.from(String(params.key), 'base64')).toHaveLength(32);
      expect(await read(services, ordered.backup.id)).toMatchObject({
        status: 'completed',
        stored_bytes: 512,
        bytes: 4_096,
        revision: 1,
        stopped_ms: 12,
        address: '/var/lib/hortusd/backups',
        parts: [{ name: 'uploads', entries: 3 }],
      });
      expect(await types(services, ordered.backup.id)).toEqual(['audit.backup_ordered', 'audit.backup_completed']);
      const everything = JSON.stringify([
        await services.executionRow(ordered.execution.id),
        await services.events(ordered.backup.id),
        await services.storage.reader.db.selectFrom('backups').selectAll().execute(),
      ]);
      expect(everything).not.toContain(params.key);
    });

    it('fail with the error of the daemon, or if its report is invalid', async () => {
      const services = await openInstanceServices(engine);
      const { id } = await services.running();
      const first = await order(services, id);
      await carryOut(services, undefined, 'The disk is full.');
      expect(await read(services, first.backup.id)).toMatchObject({ status: 'failed', error: 'The disk is full.' });
      const second = await order(services, id);
      await carryOut(services, { manifest: { format: 2 } });
      expect(await read(services, second.backup.id)).toMatchObject({
        status: 'failed',
        error: 'The server did not report the contents of the backup.',
      });
      expect(await types(services, second.backup.id)).toEqual(['audit.backup_ordered', 'audit.backup_failed']);
    });

    it('fail with their execution if it never starts', async () => {
      const services = await openInstanceServices(engine);
      const { id } = await services.running();
      const { backup, execution } = await order(services, id);
      await services.cancel(execution.id);
      expect(await read(services, backup.id)).toMatchObject({ status: 'failed', error: 'The action was cancelled.' });
    });

    it('need a deployed instance of the account', async () => {
      const services = await openInstanceServices(engine);
      const { id: pending } = await services.pending();
      await expect(order(services, pending)).rejects.toThrow('has not been deployed yet');
      const { id } = await completed(services, (await services.running()).id);
      const outsider = keyOf('acc_another');
      await expect(services.backups.read(outsider, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const verify = services.storage.write((tx) => services.backups.verify(tx, outsider, id));
      await expect(verify).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('are verified with their own key; a failed verification stays until a later one succeeds', async () => {
      const services = await openInstanceServices(engine);
      const { id, key } = await completed(services, (await services.running()).id);
      const verify = () => services.storage.write((tx) => services.backups.verify(tx, services.principal, id));
      await verify();
      const params = await carryOut(services, undefined, 'chunk 2 is damaged');
      expect(params).toMatchObject({ key, manifest_sha256: 'cd'.repeat(32) });
      expect(await read(services, id)).toMatchObject({ last_verified: null, verify_error: 'chunk 2 is damaged' });
      await verify();
      await carryOut(services, { proof: 'restored' });
      const verified = await read(services, id);
      expect(verified).toMatchObject({ proof: 'restored', verify_error: null, status: 'completed' });
      expect(Date.parse(verified.last_verified ?? '')).toBe(services.clock.now);
      expect((await types(services, id)).slice(-2)).toEqual([
        'audit.backup_verification_failed',
        'audit.backup_verified',
      ]);
    });

    it('are restored only with the instance named, and the replaced data becomes a backup too', async () => {
      const services = await openInstanceServices(engine);
      const { id, key, uid } = await completed(services, (await services.running()).id);
      const restore = (confirm: string) =>
        services.storage.write((tx) => services.backups.restore(tx, services.principal, id, { confirm }));
      await expect(restore('another')).rejects.toMatchObject({ details: { field: 'confirm' } });
      const { execution } = await restore(uid);
      const safetyId = String(execution.params.safety_backup_id);
      const safety = await read(services, safetyId);
      expect(safety).toMatchObject({ kind: 'safety', status: 'pending' });
      const params = await carryOut(services, { safety: resultOf({ execution, backup: safety }) });
      expect(params.key).toBe(key);
      expect(params.safety_key).not.toBe(key);
      expect(await read(services, safetyId)).toMatchObject({ status: 'completed' });
      expect((await types(services, id)).at(-1)).toBe('audit.backup_restored');
    });

    it('of a dump say before a restore what stops and is emptied, and the order tells the daemon', async () => {
      const services = await openInstanceServices(engine);
      const ordered = await order(services, (await services.running()).id);
      await carryOut(services, backupResult(ordered.backup, { kind: 'dump' }));
      const { id, instance_uid: confirm } = ordered.backup;
      const plan = (into?: 'empty' | 'running') => services.backups.planRestore(services.principal, id, into);
      const restore = (into?: 'empty' | 'running') =>
        services.storage.write((tx) =>
          services.backups.restore(tx, services.principal, id, { confirm, ...(into && { into }) }),
        );
      // Its manifest decides for a daemon that does not obey the order.
      const older = await plan();
      expect(older).toMatchObject({ into: 'empty', warnings: [expect.stringContaining('Update the daemon first.')] });
      await expect(plan('running')).rejects.toMatchObject({ details: { field: 'into', reason: 'old_daemon' } });
      const first = await restore();
      expect(first.execution.params).not.toHaveProperty('restore_into');
      await carryOut(services, undefined, 'no space');

      await services.connect(['journal', 'builtin', 'cancel', 'empty-restores']);
      expect(await plan()).toMatchObject({
        instance_uid: confirm,
        into: 'empty',
        reason: null,
        stops: ['app', 'db'],
        starts_first: ['db'],
        replaces: [],
        empties: ['dbdata'],
        keeps: ['uploads'],
        warnings: [],
        summary:
          'Everything stops (app, db). The volume dbdata is emptied. Only db starts, db reads the dump, then the rest starts. The volume uploads is kept.',
      });
      expect((await restore()).execution.params).toMatchObject({ restore_into: 'empty' });
      expect(await plan('running')).toMatchObject({
        into: 'running',
        stops: [],
        empties: [],
        summary: expect.stringContaining('while the application runs, which is not restarted'),
      });
      const outsider = services.backups.planRestore(keyOf('acc_another'), id, undefined);
      await expect(outsider).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('are deleted once their server has removed them, and kept if it could not', async () => {
      const services = await openInstanceServices(engine);
      const { id } = await completed(services, (await services.running()).id);
      const remove = () => services.storage.write((tx) => services.backups.delete(tx, services.principal, id));
      expect(await remove()).toMatchObject({ status: 'deleting' });
      expect(await remove()).toMatchObject({ status: 'deleting' });
      await carryOut(services, undefined, 'read-only file system');
      expect(await read(services, id)).toMatchObject({ status: 'completed' });
      await remove();
      await carryOut(services, {});
      expect(await read(services, id)).toMatchObject({ status: 'deleted' });
      const list = (status?: 'deleted') =>
        services.backups.list({ accountId: services.principal.accountId, status }, { page: 1, per_page: 20 });
      expect((await list()).data).toEqual([]);
      expect((await list('deleted')).data.map((item) => item.id)).toEqual([id]);
    });
  });

  describe('a schedule', () => {
    const poll = (services: InstanceServices, definitionId: string) =>
      dueJob(services).run({ job: { key: definitionId }, complete: async () => 'settled' } as never);
    const set = (services: InstanceServices, definitionId: string, backup: BackupWishes) =>
      services.storage.write((tx) => services.definitions.update(tx, services.principal, definitionId, { backup }));
    const listed = async (services: InstanceServices, kind?: 'scheduled') =>
      (await services.backups.list({ accountId: services.principal.accountId, kind }, { page: 1, per_page: 50 })).data;

    it('is off by default, and follows the template when turned on', async () => {
      const services = await openInstanceServices(engine);
      const { definitionId } = await services.running();
      const before = await services.definitions.read(services.principal, definitionId);
      expect(before.backup).toEqual({ schedule: 'off', verify: 'on', keep_last: 7, keep_days: null });
      services.pass(2 * DAY);
      await poll(services, definitionId);
      expect(await listed(services)).toEqual([]);
      const { backup } = await set(services, definitionId, { schedule: 'on' });
      expect(backup).toMatchObject({ schedule: 'on', keep_last: 7 });
      await poll(services, definitionId);
      expect(await listed(services)).toEqual([]);
      services.pass(DAY);
      await poll(services, definitionId);
      await poll(services, definitionId);
      expect(await listed(services)).toMatchObject([{ kind: 'scheduled', status: 'pending' }]);
      await set(services, definitionId, { schedule: 'off' });
      services.pass(2 * DAY);
      await poll(services, definitionId);
      expect(await listed(services)).toHaveLength(1);
    });

    it('stops while its definition is archived, so that the quota of definitions bounds schedules too', async () => {
      const services = await openInstanceServices(engine);
      const { storage, definitions, principal } = services;
      const { definitionId } = await services.running();
      await set(services, definitionId, { schedule: '* * * * *' });
      const scheduled = async () => {
        const plans = await storage.reader.db.selectFrom('backup_plans').selectAll().execute();
        return plans.map(({ schedule, due_at, keep_last }) => ({ schedule, isDue: due_at !== null, keep_last }));
      };
      const following = [{ schedule: '* * * * *', isDue: true, keep_last: 7 }];
      expect(await scheduled()).toEqual(following);
      await storage.write((tx) => definitions.archive(tx, principal, definitionId, 'keep'));
      expect(await scheduled()).toEqual([{ schedule: null, isDue: false, keep_last: 7 }]);
      await storage.write((tx) => definitions.activate(tx, principal, definitionId));
      expect(await scheduled()).toEqual(following);
    });

    it('keeps as many as configured, and verifies the newest', async () => {
      const services = await openInstanceServices(engine);
      const { definitionId } = await services.running();
      await set(services, definitionId, { schedule: 'daily', verify: '0 12 * * *', keep_last: 2 });
      for (let day = 0; day < 4; day++) {
        services.pass(DAY);
        await poll(services, definitionId);
        const [newest] = await listed(services, 'scheduled');
        if (!newest) throw new Error('no backup was ordered');
        const line = await services.connect();
        await services.actions.dispatch(services.serverId, line);
        const ordered = { backup: newest, execution: await services.execution(newest.execution_id) };
        await services.put(newest.execution_id, { status: 'completed', result: resultOf(ordered) });
      }
      const states = (await listed(services, 'scheduled')).map(({ status }) => status);
      expect(states).toEqual(['completed', 'completed', 'deleting', 'deleting']);
      const verifications = await services.actions.all(
        { accountId: services.principal.accountId, slug: 'hortus.verify_backup' },
        { page: 1, per_page: 50 },
      );
      expect(verifications.data.length).toBeGreaterThan(0);
    });

    it('an invalid one is refused with the name of its field', async () => {
      const services = await openInstanceServices(engine);
      const { definitionId } = await services.running();
      const wrong = set(services, definitionId, { schedule: 'sometimes' });
      await expect(wrong).rejects.toMatchObject({ details: { field: 'backup.schedule' } });
    });
  });
});
