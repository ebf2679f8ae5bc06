import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../../testing/engines.ts';
import { MINUTE, openAlertReceiver } from '../testing/alert-receiver.ts';

onBothEngines((engine) => {
  describe('an offline server', () => {
    it('raises an alert only after the minutes of its rule, and ends it when it is back', async () => {
      const { server, watched, alerts, titles, messages, now, parents } = await openAlertReceiver(engine);
      const lastSeen = now();
      await server({ status: 'offline', last_seen_at: lastSeen });
      await watched(3 * MINUTE - 1_000);
      expect(await alerts()).toEqual([]);
      await watched(1_000);
      expect(await alerts('open')).toMatchObject([
        {
          kind: 'server_offline',
          title: 'Server server-1 is offline',
          text: 'No instances run there.',
          fix: `hortus servers show ${parents.serverId}; on the server: systemctl status hortusd`,
          since: new Date(lastSeen).toISOString(),
          resource_id: parents.serverId,
        },
      ]);
      await watched(10 * MINUTE);
      expect(await titles('open')).toHaveLength(1);
      expect(await messages()).toMatchObject([{ status: 'open', count: 1 }]);
      await server({ status: 'online', connected_replica: 'a' });
      await watched();
      expect(await titles('open')).toEqual([]);
      expect(await messages()).toMatchObject([{ status: 'resolved', title: 'Resolved: Server server-1 is offline' }]);
    });

    it('that is back before the minutes are over, polls, or was never seen raises none', async () => {
      const { server, watched, alerts, now } = await openAlertReceiver(engine);
      await watched(10 * MINUTE);
      await server({ status: 'offline', last_seen_at: now() });
      await watched(2 * MINUTE);
      await server({ status: 'online', connected_replica: 'a' });
      await watched(5 * MINUTE);
      await server({ status: 'offline', connected_replica: null, last_seen_at: now(), polled_at: now() });
      await watched(10 * MINUTE);
      expect(await alerts()).toEqual([]);
      expect(await alerts('pending')).toEqual([]);
    });
  });

  describe.each([
    ['memory', 'memory_above', 'show'],
    ['disk', 'disk_above', 'prune'],
  ] as const)('a full %s', (what, kind, command) => {
    const full = (percent: number): [number, number] => (what === 'disk' ? [percent, 1] : [1, percent]);

    it('raises an alert at the percentage of its rule, when it lasts, and ends it two percent below', async () => {
      const { capacity, rule, watched, alerts, titles, messages, parents } = await openAlertReceiver(engine);
      await rule({ name: 'r', kind, percent: 80, minutes: 10 });
      await capacity(...full(79.5));
      await watched(20 * MINUTE);
      expect(await alerts('pending')).toEqual([]);
      await capacity(...full(80.6));
      await watched();
      expect(await titles('pending')).toHaveLength(1);
      await watched(10 * MINUTE - 1_000);
      expect(await alerts()).toEqual([]);
      await watched(1_000);
      expect(await alerts('open')).toMatchObject([
        {
          kind,
          title: `The ${what} of server server-1 is 81 % full`,
          text: 'The limit is 80 %.',
          fix: `hortus servers ${command} ${parents.serverId}`,
        },
      ]);
      expect(await messages()).toMatchObject([{ status: 'open', count: 1 }]);
      await capacity(...full(78.5));
      await watched(MINUTE);
      expect(await titles('open')).toHaveLength(1);
      await capacity(...full(77.5));
      await watched();
      expect(await titles('open')).toEqual([]);
      expect(await messages()).toMatchObject([{ status: 'resolved' }]);
    });

    it('that falls before the minutes are over raises none, and the time begins again', async () => {
      const { capacity, rule, watched, alerts } = await openAlertReceiver(engine);
      await rule({ name: 'r', kind, percent: 80, minutes: 10 });
      for (const percent of [85, 50, 85]) {
        await capacity(...full(percent));
        await watched(9 * MINUTE);
      }
      expect(await alerts()).toEqual([]);
    });

    it('of an offline server is not known: its alert neither opens nor ends', async () => {
      const { capacity, rule, watched, titles, server, now } = await openAlertReceiver(engine);
      await rule({ name: 'r', kind, percent: 80, minutes: 1 });
      await capacity(...full(85));
      await server({ status: 'offline', last_seen_at: now() });
      await watched();
      await watched(2 * MINUTE);
      expect(await titles('open')).toEqual([]);
      await server({ status: 'online', connected_replica: 'a' });
      await watched();
      await watched(2 * MINUTE);
      expect(await titles('open')).toHaveLength(1);
      await server({ status: 'offline', connected_replica: null, last_seen_at: now() });
      await capacity(...full(1));
      await watched();
      expect(await titles('open')).toHaveLength(1);
    });
  });
});
