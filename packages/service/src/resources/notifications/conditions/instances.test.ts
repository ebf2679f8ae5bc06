import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../../testing/engines.ts';
import { MINUTE, openAlertReceiver } from '../testing/alert-receiver.ts';

onBothEngines((engine) => {
  describe('an unhealthy instance', () => {
    it('raises an alert when it lasts; several arrive in one message, and so does their end', async () => {
      const { instance, changeInstances, watched, alerts, titles, messages } = await openAlertReceiver(engine);
      const id = await instance('shop', { health: 'unhealthy' });
      await instance('blog', { health: 'unhealthy' });
      await instance('wiki', { status: 'failed', health: 'unknown' });
      await instance('calm');
      await watched();
      await watched(2 * MINUTE - 1_000);
      expect(await alerts()).toEqual([]);
      await watched(1_000);
      expect(await titles('open')).toEqual([
        'Instance blog is unhealthy',
        'Instance shop is unhealthy',
        'Instance wiki has failed',
      ]);
      const [opened, ...others] = await messages();
      expect(others).toEqual([]);
      expect(opened).toMatchObject({ status: 'open', title: 'Alerts: 3 open', count: 3 });
      expect(opened?.text).toContain(`To do: hortus instances show ${id}`);
      await changeInstances({ status: 'running', health: 'healthy' });
      await watched();
      expect(await titles('open')).toEqual([]);
      expect(await messages()).toMatchObject([{ status: 'resolved', title: 'Alerts: 3 resolved' }]);
    });

    it('that recovers in time raises none, and one that only starts again is not over', async () => {
      const { instance, changeInstances, watched, alerts, titles } = await openAlertReceiver(engine);
      await instance('shop', { health: 'unhealthy' });
      await watched(MINUTE);
      await changeInstances({ health: 'healthy' });
      await watched(MINUTE);
      await changeInstances({ health: 'unhealthy' });
      await watched(MINUTE);
      await watched(MINUTE);
      expect(await alerts()).toEqual([]);
      await watched(MINUTE);
      expect(await titles('open')).toHaveLength(1);
      await changeInstances({ status: 'starting', health: 'starting' });
      await watched(MINUTE);
      expect(await titles('open')).toHaveLength(1);
      await changeInstances({ status: 'released', health: 'unknown' });
      await watched();
      expect(await titles('open')).toEqual([]);
    });

    it('of a deploy test raises none', async () => {
      const { instance, watched, alerts, storage } = await openAlertReceiver(engine);
      await instance('trial', { health: 'unhealthy' });
      await storage.write((tx) => tx.db.updateTable('definitions').set({ test_id: 'tst_1' }).execute());
      await watched();
      await watched(10 * MINUTE);
      expect(await alerts()).toEqual([]);
    });
  });

  describe('a restart loop', () => {
    const startsAgo = (now: number, ...minutes: number[]) => ({
      starts: JSON.stringify(minutes.map((ago) => now - ago * MINUTE)),
      restarted_at: now - Math.min(...minutes) * MINUTE,
    });

    it('is as many restarts within the minutes as the rule says, and is over when fewer are left in them', async () => {
      const { instance, watched, alerts, titles, messages, now } = await openAlertReceiver(engine);
      const begun = now();
      await instance('slow', startsAgo(begun, 40, 30, 20, 10, 1));
      await instance('seldom', startsAgo(begun, 4, 3, 2, 1));
      await instance('loop', startsAgo(begun, 9, 7, 5, 3, 1));
      await watched();
      expect(await alerts('open')).toMatchObject([
        {
          kind: 'restart_loop',
          title: 'Instance loop restarts in a loop',
          text: 'It restarted 5 times within 15 minutes.',
          since: new Date(begun - 9 * MINUTE).toISOString(),
        },
      ]);
      expect(await messages()).toMatchObject([{ status: 'open', count: 1 }]);
      // 15 s have passed with the message.
      await watched(6 * MINUTE - 20_000);
      expect(await titles('open')).toHaveLength(1);
      await watched(10_000);
      expect(await titles('open')).toEqual([]);
      expect(await messages()).toMatchObject([{ status: 'resolved' }]);
    });

    it('uses the numbers of its own rule', async () => {
      const { instance, rule, watched, titles, now } = await openAlertReceiver(engine);
      await rule({ name: 'nervous', kind: 'restart_loop', restarts: 2, minutes: 60 });
      await instance('twice', startsAgo(now(), 50, 30));
      await watched();
      expect(await titles('open')).toEqual(['Instance twice restarts in a loop']);
    });

    it('is also an instance that waits for its restart for two minutes', async () => {
      const { instance, changeInstances, watched, titles } = await openAlertReceiver(engine);
      await instance('stuck', { status: 'restarting', health: 'unknown' });
      await watched();
      await watched(2 * MINUTE - 1_000);
      expect(await titles('open')).toEqual([]);
      await watched(1_000);
      expect(await titles('open')).toEqual(['Instance stuck restarts in a loop']);
      await changeInstances({ status: 'running', health: 'healthy' });
      await watched();
      expect(await titles('open')).toEqual([]);
    });
  });
});
