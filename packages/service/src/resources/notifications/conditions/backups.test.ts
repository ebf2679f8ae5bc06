import { describe, expect, it } from 'vitest';
import { newId } from '../../../records/ids.ts';
import { insertRow } from '../../../storage/status-columns.ts';
import { onBothEngines } from '../../../testing/engines.ts';
import { MINUTE, openAlertReceiver } from '../testing/alert-receiver.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

onBothEngines((engine) => {
  async function openWithPlan(schedule: string | null = 'daily') {
    const receiver = await openAlertReceiver(engine);
    const { storage, instance, parents, time } = receiver;
    // Midnight, so that the promised times are known.
    time.now = Math.ceil(time.now / DAY) * DAY;
    const begun = time.now;
    const id = await instance('blog');
    const { definition_id } = await storage.reader.db
      .selectFrom('instances')
      .select('definition_id')
      .executeTakeFirstOrThrow();
    const account_id = parents.accountId;
    const none = { keep_last: null, keep_days: null, verify_schedule: null, due_at: null, verify_due_at: null };
    await storage.write((tx) => insertRow(tx, 'backup_plans', { definition_id, account_id, schedule, ...none }));
    const backup = (status: 'completed' | 'failed') =>
      storage.write((tx) =>
        insertRow(tx, 'backups', {
          id: newId('backup'),
          account_id,
          instance_id: id,
          definition_id,
          server_id: parents.serverId,
          instance_uid: 'blog',
          execution_id: newId('execution'),
          kind: 'scheduled',
          status,
          key: '',
          stored_bytes: 0,
          bytes: 0,
          created_at: tx.now,
          updated_at: tx.now,
        }),
      );
    return { ...receiver, id, begun, backup };
  }

  describe('a late backup', () => {
    it('raises an alert when the promised time is over by the minutes of the rule, and ends it with a backup', async () => {
      const { id, begun, backup, watched, alerts, titles, messages } = await openWithPlan();
      await watched(DAY + 2 * HOUR - 1_000);
      expect(await alerts()).toEqual([]);
      await watched(1_000);
      expect(await alerts('open')).toMatchObject([
        {
          kind: 'backup_late',
          title: 'The backup of blog is late',
          text: 'There is no backup yet.',
          fix: `hortus backups create ${id}`,
          since: new Date(begun + DAY).toISOString(),
        },
      ]);
      expect(await messages()).toMatchObject([{ status: 'open', count: 1 }]);
      await backup('failed');
      await watched();
      expect(await titles('open')).toHaveLength(1);
      await backup('completed');
      await watched();
      expect(await titles('open')).toEqual([]);
      expect(await messages()).toMatchObject([{ status: 'resolved' }]);
    });

    it('is measured from the newest backup, and names it', async () => {
      const { backup, watched, alerts, now } = await openWithPlan();
      for (let day = 0; day < 3; day++) {
        await watched(DAY);
        await backup('completed');
      }
      expect(await alerts()).toEqual([]);
      const newest = new Date(now()).toISOString();
      await watched(2 * DAY);
      expect((await alerts('open'))[0]?.text).toBe(`The newest is of ${newest}.`);
    });

    it('of a stopped instance, or without a schedule, raises none', async () => {
      const { changeInstances, watched, alerts } = await openWithPlan();
      await changeInstances({ status: 'stopped', health: 'unknown' });
      await watched(9 * DAY);
      expect(await alerts()).toEqual([]);
      const unplanned = await openWithPlan(null);
      await unplanned.watched(9 * DAY);
      expect(await unplanned.alerts()).toEqual([]);
    });
  });

  describe('a failed backup', () => {
    it('raises an alert, is reported each time, and is over with the next backup', async () => {
      const { definition, fire, alerts, titles, messages } = await openAlertReceiver(engine);
      const definition_id = await definition('blog');
      const data = (error: string) => ({ definition_id, instance_id: 'ins_1', error });
      await fire('audit.backup_failed', 'bkp_1', data('disk full'));
      const [first] = await messages();
      expect(first).toMatchObject({ status: 'open', title: 'Alert: A backup of blog has failed', count: 1 });
      await fire('audit.backup_failed', 'bkp_3', data('disk full again'));
      const [second] = await messages();
      expect(second?.text).toContain('disk full again');
      expect(second?.text).toContain('To do: hortus backups create ins_1');
      expect(await alerts('open')).toHaveLength(1);
      await fire('audit.backup_completed', 'bkp_4', data(''));
      expect(await messages()).toMatchObject([{ status: 'resolved' }]);
      expect(await titles('open')).toEqual([]);
    });

    it('ends its alert with its definition', async () => {
      const { definition, fire, messages, titles } = await openAlertReceiver(engine);
      const definition_id = await definition('blog');
      await fire('audit.backup_failed', 'bkp_1', { definition_id, instance_id: 'ins_1', error: 'x' });
      await messages();
      await fire('instance.stopped', 'ins_1', { definition_id, instance_id: 'ins_1', status: 'stopped' });
      await fire('instance.stopped', 'ins_1', { definition_id, instance_id: 'ins_1', status: 'released' });
      expect(await messages()).toMatchObject([{ status: 'resolved' }]);
      expect(await titles('open')).toEqual([]);
    });
  });
});
