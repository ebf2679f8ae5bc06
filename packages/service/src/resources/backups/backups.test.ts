import type { BackupWishes } from '@hortus/contract/resources/backup-settings';
import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { type Garden, keyOf, plantGarden } from '../instances/testing/garden.ts';
import { dueJob } from './schedule.ts';
import type { Ordered } from './service.ts';
import { keptAs } from './testing/kept.ts';

const DAY = 86_400_000;

const resultOf = ({ backup }: Ordered) => keptAs(backup);

onBothEngines((engine) => {
  const order = (garden: Garden, instanceId: string) =>
    garden.storage.write((tx) => garden.backups.create(tx, garden.principal, instanceId));

  /** Sends what waits to a daemon, which says how it ended. */
  async function carryOut(
    garden: Garden,
    result: Record<string, unknown> | undefined,
    error?: string,
  ): Promise<Record<string, unknown>> {
    const line = await garden.connect();
    await garden.actions.dispatch(garden.serverId, line);
    const sent = line.sent.at(-1) as unknown as { execution_id: string; params: Record<string, unknown> };
    await garden.put(
      sent.execution_id,
      error === undefined ? { status: 'completed', ...(result ? { result } : {}) } : { status: 'failed', error },
    );
    return sent.params;
  }

  async function completed(garden: Garden, instanceId: string) {
    const ordered = await order(garden, instanceId);
    const params = await carryOut(garden, resultOf(ordered));
    return { id: ordered.backup.id, key: params.key, uid: ordered.backup.instance_uid };
  }

  const read = (garden: Garden, id: string) => garden.backups.read(garden.principal, id);
  const types = async (garden: Garden, id: string) => (await garden.events(id)).map(({ type }) => type);

  describe('backups', () => {
    it('are made by the daemon, with a key that only it is told, and described by what it reports', async () => {
      const garden = await plantGarden(engine);
      const { id } = await garden.running();
      const ordered = await order(garden, id);
      expect(ordered.backup).toMatchObject({ status: 'pending', kind: 'manual', parts: [], last_verified: null });
      expect(ordered.execution).toMatchObject({ slug: 'hortus.backup', params: { backup_id: ordered.backup.id } });
      const params = await carryOut(garden, resultOf(ordered));
      expect(Buffer.from(String(params.key), 'base64')).toHaveLength(32);
      expect(await read(garden, ordered.backup.id)).toMatchObject({
        status: 'completed',
        stored_bytes: 512,
        bytes: 4_096,
        revision: 1,
        stopped_ms: 12,
        address: '/var/lib/hortusd/backups',
        parts: [{ name: 'uploads', entries: 3 }],
      });
      expect(await types(garden, ordered.backup.id)).toEqual(['audit.backup_ordered', 'audit.backup_completed']);
      const everything = JSON.stringify([
        await garden.executionRow(ordered.execution.id),
        await garden.events(ordered.backup.id),
        await garden.storage.reader.db.selectFrom('backups').selectAll().execute(),
      ]);
      expect(everything).not.toContain(params.key);
    });

    it('fail with what the daemon says, or because it says nothing that could be believed', async () => {
      const garden = await plantGarden(engine);
      const { id } = await garden.running();
      const first = await order(garden, id);
      await carryOut(garden, undefined, 'The disk is full.');
      expect(await read(garden, first.backup.id)).toMatchObject({ status: 'failed', error: 'The disk is full.' });
      const second = await order(garden, id);
      await carryOut(garden, { manifest: { format: 2 } });
      expect(await read(garden, second.backup.id)).toMatchObject({
        status: 'failed',
        error: 'The server did not report the contents of the backup.',
      });
      expect(await types(garden, second.backup.id)).toEqual(['audit.backup_ordered', 'audit.backup_failed']);
    });

    it('that nobody begins end with their execution', async () => {
      const garden = await plantGarden(engine);
      const { id } = await garden.running();
      const { backup, execution } = await order(garden, id);
      await garden.cancel(execution.id);
      expect(await read(garden, backup.id)).toMatchObject({ status: 'failed', error: 'The action was cancelled.' });
    });

    it('are of what was deployed, and of another account not there', async () => {
      const garden = await plantGarden(engine);
      const { id: pending } = await garden.pending();
      await expect(order(garden, pending)).rejects.toThrow('has not been deployed yet');
      const { id } = await completed(garden, (await garden.running()).id);
      const stranger = keyOf('acc_another');
      await expect(garden.backups.read(stranger, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const verify = garden.storage.write((tx) => garden.backups.verify(tx, stranger, id));
      await expect(verify).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('are verified with their own key; what is wrong stays until it was proven to be right', async () => {
      const garden = await plantGarden(engine);
      const { id, key } = await completed(garden, (await garden.running()).id);
      const verify = () => garden.storage.write((tx) => garden.backups.verify(tx, garden.principal, id));
      await verify();
      const params = await carryOut(garden, undefined, 'chunk 2 is damaged');
      expect(params).toMatchObject({ key, manifest_sha256: 'cd'.repeat(32) });
      expect(await read(garden, id)).toMatchObject({ last_verified: null, verify_error: 'chunk 2 is damaged' });
      await verify();
      await carryOut(garden, { proof: 'restored' });
      const verified = await read(garden, id);
      expect(verified).toMatchObject({ proof: 'restored', verify_error: null, status: 'completed' });
      expect(Date.parse(verified.last_verified ?? '')).toBe(garden.clock.now);
      expect((await types(garden, id)).slice(-2)).toEqual([
        'audit.backup_verification_failed',
        'audit.backup_verified',
      ]);
    });

    it('are restored when the instance is named, and what is replaced becomes a backup too', async () => {
      const garden = await plantGarden(engine);
      const { id, key, uid } = await completed(garden, (await garden.running()).id);
      const restore = (confirm: string) =>
        garden.storage.write((tx) => garden.backups.restore(tx, garden.principal, id, { confirm }));
      await expect(restore('another')).rejects.toMatchObject({ details: { field: 'confirm' } });
      const { execution } = await restore(uid);
      const safetyId = String(execution.params.safety_backup_id);
      const safety = await read(garden, safetyId);
      expect(safety).toMatchObject({ kind: 'safety', status: 'pending' });
      const params = await carryOut(garden, { safety: resultOf({ execution, backup: safety }) });
      expect(params.key).toBe(key);
      expect(params.safety_key).not.toBe(key);
      expect(await read(garden, safetyId)).toMatchObject({ status: 'completed' });
      expect((await types(garden, id)).at(-1)).toBe('audit.backup_restored');
    });

    it('are deleted when their server has removed them, and spared when it could not', async () => {
      const garden = await plantGarden(engine);
      const { id } = await completed(garden, (await garden.running()).id);
      const remove = () => garden.storage.write((tx) => garden.backups.delete(tx, garden.principal, id));
      expect(await remove()).toMatchObject({ status: 'deleting' });
      expect(await remove()).toMatchObject({ status: 'deleting' });
      await carryOut(garden, undefined, 'read-only file system');
      expect(await read(garden, id)).toMatchObject({ status: 'completed' });
      await remove();
      await carryOut(garden, {});
      expect(await read(garden, id)).toMatchObject({ status: 'deleted' });
      const list = (status?: 'deleted') =>
        garden.backups.list({ accountId: garden.principal.accountId, status }, { page: 1, per_page: 20 });
      expect((await list()).data).toEqual([]);
      expect((await list('deleted')).data.map((one) => one.id)).toEqual([id]);
    });
  });

  describe('a schedule', () => {
    const look = (garden: Garden, definition_id: string) =>
      dueJob(garden).run({ job: { payload: { definition_id } }, complete: async () => 'settled' } as never);
    const set = (garden: Garden, definitionId: string, backup: BackupWishes) =>
      garden.storage.write((tx) => garden.definitions.update(tx, garden.principal, definitionId, { backup }));
    const listed = async (garden: Garden, kind?: 'scheduled') =>
      (await garden.backups.list({ accountId: garden.principal.accountId, kind }, { page: 1, per_page: 50 })).data;

    it('is off until somebody turns it on, and then follows the template', async () => {
      const garden = await plantGarden(engine);
      const { definitionId } = await garden.running();
      const before = await garden.definitions.read(garden.principal, definitionId);
      expect(before.backup).toEqual({ schedule: 'off', verify: 'on', keep_last: 7, keep_days: null });
      garden.pass(2 * DAY);
      await look(garden, definitionId);
      expect(await listed(garden)).toEqual([]);
      const { backup } = await set(garden, definitionId, { schedule: 'on' });
      expect(backup).toMatchObject({ schedule: 'on', keep_last: 7 });
      await look(garden, definitionId);
      expect(await listed(garden)).toEqual([]);
      garden.pass(DAY);
      await look(garden, definitionId);
      await look(garden, definitionId);
      expect(await listed(garden)).toMatchObject([{ kind: 'scheduled', status: 'pending' }]);
      await set(garden, definitionId, { schedule: 'off' });
      garden.pass(2 * DAY);
      await look(garden, definitionId);
      expect(await listed(garden)).toHaveLength(1);
    });

    it('keeps as many as it is told, and has the newest proven', async () => {
      const garden = await plantGarden(engine);
      const { definitionId } = await garden.running();
      await set(garden, definitionId, { schedule: 'daily', verify: '0 12 * * *', keep_last: 2 });
      for (let day = 0; day < 4; day++) {
        garden.pass(DAY);
        await look(garden, definitionId);
        const [newest] = await listed(garden, 'scheduled');
        if (!newest) throw new Error('nothing was ordered');
        const line = await garden.connect();
        await garden.actions.dispatch(garden.serverId, line);
        const ordered = { backup: newest, execution: await garden.execution(newest.execution_id) };
        await garden.put(newest.execution_id, { status: 'completed', result: resultOf(ordered) });
      }
      const states = (await listed(garden, 'scheduled')).map(({ status }) => status);
      expect(states).toEqual(['completed', 'completed', 'deleting', 'deleting']);
      const verifications = await garden.actions.all(
        { accountId: garden.principal.accountId, slug: 'hortus.verify_backup' },
        { page: 1, per_page: 50 },
      );
      expect(verifications.data.length).toBeGreaterThan(0);
    });

    it('that is none is refused by the name of its field', async () => {
      const garden = await plantGarden(engine);
      const { definitionId } = await garden.running();
      const wrong = set(garden, definitionId, { schedule: 'sometimes' });
      await expect(wrong).rejects.toMatchObject({ details: { field: 'backup.schedule' } });
    });
  });
});
