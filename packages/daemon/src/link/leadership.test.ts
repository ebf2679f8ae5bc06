import { openLog } from '@hortus/logging/log';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, it } from 'vitest';
import { Leadership, type Term } from './leadership.ts';

const opened: Leadership[] = [];
afterEach(() => {
  for (const leadership of opened.splice(0)) leadership.stop();
});

interface Sent {
  type: string;
  epoch: number;
  renewal?: number;
}

function open({ isMember = true, lease_ms = 60_000 } = {}) {
  const sent: Sent[] = [];
  const clock = { now: 1_000, suspendedMs: 0 };
  const terms: Term[] = [];
  let lost = 0;
  const leadership = new Leadership({
    isMember,
    send: (message) => sent.push(message) > 0,
    onLead: (term) => terms.push(term),
    onLost: () => void lost++,
    log: openLog({ level: 'error' }),
    clocks: { steady: () => clock.now, wall: () => 1_700_000_000_000 + clock.now + clock.suspendedMs },
  });
  opened.push(leadership);
  const receive = (leads: boolean, epoch: number, more: { renewal?: number; since?: number } = {}) =>
    leadership.received({ type: 'leadership', member_id: 'cmb_1', leads, epoch, lease_ms, ...more });
  const asked = () => sent.findLast(({ type }) => type === 'leadership_renewal')?.renewal ?? 0;
  return {
    leadership,
    sent,
    clock,
    receive,
    asked,
    terms,
    lost: () => lost,
    /** Grants the leadership, and answers the renewal that follows. */
    lead(epoch: number, since = epoch) {
      receive(true, epoch, { since });
      receive(true, epoch, { since, renewal: asked() });
    },
    nextRenewal: () => {
      const before = asked();
      return until(() => asked() > before && asked(), { describe: 'a renewal' });
    },
  };
}

it('the daemon of an ordinary server leads without an epoch, whatever it is told', () => {
  const { leadership, receive, lost } = open({ isMember: false });
  expect([leadership.leads(), leadership.epoch]).toEqual([true, undefined]);
  receive(false, 3);
  expect([leadership.leads(), lost()]).toEqual([true, 0]);
});

it('a member does not lead before it is told so', () => {
  const { leadership, terms } = open();
  expect([leadership.leads(), leadership.mayLead(), leadership.epoch, terms]).toEqual([false, false, undefined, []]);
});

it('a grant counts only once a renewal was answered, because it may have waited in a buffer', () => {
  const { leadership, sent, receive, asked, terms } = open();
  receive(true, 3);
  expect([leadership.leads(), leadership.mayLead(), terms]).toEqual([false, true, []]);
  expect(sent).toEqual([{ type: 'leadership_renewal', epoch: 3, renewal: 1 }]);
  receive(true, 3, { since: 2, renewal: asked() });
  expect([leadership.leads(), leadership.epoch, terms]).toEqual([true, 3, [{ epoch: 3, since: 2 }]]);
});

it('a member leads until its lease ends, and renews it before', async () => {
  const { leadership, clock, lead, nextRenewal, receive, asked, terms, lost } = open({ lease_ms: 90 });
  lead(3);
  await nextRenewal();
  clock.now += 89;
  expect(leadership.leads()).toBe(true);
  clock.now += 1;
  expect(leadership.leads()).toBe(false);
  await until(() => lost() === 1, { describe: 'the end of the lease' });
  expect(leadership.epoch).toBe(3);
  await nextRenewal();
  receive(true, 3, { renewal: asked() });
  expect([leadership.leads(), terms.length]).toEqual([true, 2]);
});

it('each response counts from the renewal that it answers, also if an earlier response was late or lost', async () => {
  const { leadership, clock, lead, nextRenewal, receive } = open({ lease_ms: 90 });
  lead(3);
  clock.now += 30;
  const first = await nextRenewal();
  clock.now += 30;
  const second = await nextRenewal();
  receive(true, 3, { renewal: second });
  // The late answer to the first one neither shortens the lease nor extends it.
  receive(true, 3, { renewal: first });
  clock.now += 89;
  expect(leadership.leads()).toBe(true);
  clock.now += 1;
  expect(leadership.leads()).toBe(false);
  receive(true, 3, { renewal: second });
  expect(leadership.leads()).toBe(false);
});

it('a lease ends while the machine is suspended, although its steady clock stands still', () => {
  const { leadership, clock, lead } = open();
  lead(3);
  expect(leadership.leads()).toBe(true);
  clock.suspendedMs += 60_000;
  expect(leadership.leads()).toBe(false);
});

it('a member that the service deposed stops at once', () => {
  const { leadership, lead, lost } = open();
  lead(3);
  leadership.deposed();
  expect([leadership.leads(), leadership.mayLead(), leadership.epoch, lost()]).toEqual([false, false, undefined, 1]);
});

it('a member that leads no longer is told once, and its answers are worthless', () => {
  const { leadership, lead, receive, asked, lost, sent } = open();
  lead(4);
  const late = asked();
  receive(false, 5);
  expect([leadership.leads(), leadership.epoch, lost()]).toEqual([false, undefined, 1]);
  receive(true, 4, { renewal: late });
  expect([leadership.leads(), lost()]).toEqual([false, 1]);
  receive(false, 5);
  leadership.stop();
  expect(sent.filter(({ type }) => type === 'leadership_release')).toEqual([]);
});

it('a leader that stops releases its lease', () => {
  const { leadership, lead, sent, lost } = open();
  lead(5);
  leadership.stop();
  expect(sent.at(-1)).toEqual({ type: 'leadership_release', epoch: 5 });
  expect(lost()).toBe(1);
});
