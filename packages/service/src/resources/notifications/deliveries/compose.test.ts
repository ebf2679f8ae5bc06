import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textOf, titleOf } from '../message.ts';
import { choose, compose, MAX_SHOWN, type Queued } from './compose.ts';

const alertOf = (id: string, kind: 'server_offline' | 'instance_unhealthy' = 'instance_unhealthy') => ({
  id,
  kind,
  title: `Instance ${id} is unhealthy`,
  text: '',
  fix: `hortus instances show ${id}`,
  since: 0,
  opened_at: 0,
  resolved_at: 60_000,
});
const envelope = { id: 'ntf_1', at: 0, link: 'https://hortus.example.org' };

const queues = fc.uniqueArray(
  fc.record({
    alert_id: fc.integer({ min: 0, max: 40 }).map((number) => `alt_${number}`),
    phase: fc.constantFrom('opened' as const, 'resolved' as const),
  }),
  { selector: ({ alert_id, phase }) => `${alert_id} ${phase}`, maxLength: 80 },
);

it('a message accounts for every queued alert once, and shows at most ten', () => {
  fc.assert(
    fc.property(queues, (queued: Queued[]) => {
      const ids = new Set(queued.map(({ alert_id }) => alert_id));
      const chosen = choose(queued);
      expect(chosen.map(({ alert_id }) => alert_id).sort()).toEqual([...ids].sort());
      const message = compose(
        envelope,
        chosen,
        [...ids].map((id) => alertOf(id)),
      );
      expect(message.items.length).toBe(Math.min(MAX_SHOWN, ids.size));
      expect(message.items.length + message.more).toBe(ids.size);
      for (const { alert_id } of queued.filter(({ phase }) => phase === 'resolved'))
        expect(chosen).toContainEqual({ alert_id, phase: 'resolved' });
    }),
  );
});

it('an offline server comes first, and open alerts before resolved ones', () => {
  const alerts = [alertOf('a'), alertOf('b'), alertOf('s', 'server_offline')];
  const queued: Queued[] = [
    { alert_id: 'a', phase: 'resolved' },
    { alert_id: 'b', phase: 'opened' },
    { alert_id: 's', phase: 'opened' },
  ];
  const { items } = compose(envelope, queued, alerts);
  expect(items.map(({ title }) => title.split(' ')[1])).toEqual(['s', 'b', 'a']);
});

it('says what happened, since when, what to do, how many are summarised, and where to look', () => {
  const queued = Array.from({ length: 1_000 }, (_, n): Queued => ({ alert_id: `alt_${n}`, phase: 'opened' }));
  const alerts = queued.slice(0, 500).map(({ alert_id }) => alertOf(alert_id));
  const message = compose(envelope, queued, alerts);
  expect(titleOf(message)).toBe('Alerts: 10 open, 990 more');
  const text = textOf(message);
  expect(text).toContain(
    'Alert: Instance alt_0 is unhealthy\nSince 1970-01-01 00:00 UTC.\nTo do: hortus instances show alt_0',
  );
  expect(text).toContain('990 more alerts are summarised here; list them with: hortus alerts');
  expect(text).toMatch(/https:\/\/hortus\.example\.org$/);
});

it('a single alert is the title, and its end tells how long it lasted', () => {
  const opened = compose(envelope, [{ alert_id: 'a', phase: 'opened' }], [alertOf('a')]);
  expect(titleOf(opened)).toBe('Alert: Instance a is unhealthy');
  const over = compose(envelope, [{ alert_id: 'a', phase: 'resolved' }], [alertOf('a')]);
  expect(titleOf(over)).toBe('Resolved: Instance a is unhealthy');
  expect(textOf(over)).toContain('From 1970-01-01 00:00 UTC to 1970-01-01 00:01 UTC (1 min).');
});
