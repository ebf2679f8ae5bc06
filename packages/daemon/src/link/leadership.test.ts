import { until } from '@hortus/testkit/until';
import { afterEach, expect, it } from 'vitest';
import { openLog } from '../log.ts';
import { Leadership } from './leadership.ts';

const opened: Leadership[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.stop();
});

function open() {
  const sent: { type: string; epoch: number }[] = [];
  const clock = { now: 1_000 };
  let led = 0;
  const leadership = new Leadership({
    send: (message) => {
      sent.push(message);
      return true;
    },
    onLead: () => void led++,
    log: openLog('error'),
    now: () => clock.now,
  });
  opened.push(leadership);
  const hear = (leads: boolean, epoch: number, lease_ms = 60) =>
    leadership.heard({ type: 'leadership', member_id: 'cmb_1', leads, epoch, lease_ms });
  return { leadership, sent, clock, hear, led: () => led };
}

it('the daemon of an ordinary server leads without an epoch', () => {
  const { leadership } = open();
  expect(leadership.leads()).toBe(true);
  expect(leadership.epoch).toBeUndefined();
});

it('a member leads until its lease ends, and renews it before', async () => {
  const { leadership, sent, clock, hear, led } = open();
  hear(true, 3);
  expect([leadership.leads(), leadership.epoch, led()]).toEqual([true, 3, 1]);
  await until(() => sent.length > 0, { describe: 'a renewal' });
  expect(sent[0]).toEqual({ type: 'leadership_renewal', epoch: 3 });
  clock.now += 60;
  expect(leadership.leads()).toBe(false);
});

it('a renewal counts from the time it was asked for, not from its answer', async () => {
  const { leadership, sent, clock, hear, led } = open();
  hear(true, 3);
  await until(() => sent.length > 0, { describe: 'a renewal' });
  clock.now += 50;
  hear(true, 3);
  expect(leadership.leads()).toBe(true);
  clock.now += 10;
  expect(leadership.leads()).toBe(false);
  expect(led()).toBe(1);
});

it('a member that waits does not lead, and begins to when it is told so', () => {
  const { leadership, hear, led, sent } = open();
  hear(false, 0);
  expect([leadership.leads(), leadership.epoch, led()]).toEqual([false, undefined, 0]);
  hear(true, 4);
  expect([leadership.leads(), led()]).toEqual([true, 1]);
  hear(false, 0);
  expect(leadership.leads()).toBe(false);
  leadership.stop();
  expect(sent.filter(({ type }) => type === 'leadership_release')).toEqual([]);
});

it('a leader that stops gives its lease up', () => {
  const { leadership, hear, sent } = open();
  hear(true, 5);
  leadership.stop();
  expect(sent.at(-1)).toEqual({ type: 'leadership_release', epoch: 5 });
});
