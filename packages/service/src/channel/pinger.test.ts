import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { guardWith } from '../process/guard.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import type { Connection } from './connection.ts';
import { Pinger } from './pinger.ts';

const guard = guardWith(new QuietLog());

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection that counts its pings and is never missed. */
class Pinged {
  slice = -1;
  pings = 0;
  text = '';
  ping(text: string): boolean {
    this.pings++;
    this.text = text;
    return true;
  }
}

it('pings are spread evenly over the interval', () => {
  const pinger = new Pinger({ everyMs: 1_000, maxUnanswered: 2, guard });
  const connections = Array.from({ length: 250 }, () => new Pinged());
  for (const connection of connections) pinger.add(connection as unknown as Connection);
  pinger.start();
  const sent = () => connections.reduce((sum, { pings }) => sum + pings, 0);
  for (let tenth = 1; tenth <= 10; tenth++) {
    const before = sent();
    vi.advanceTimersByTime(100);
    expect(sent() - before).toBeGreaterThanOrEqual(20);
    expect(sent() - before).toBeLessThanOrEqual(30);
  }
  expect(connections.map(({ pings }) => pings)).toEqual(connections.map(() => 1));
  pinger.stop();
});

it('a new connection joins the slot with the fewest connections', () => {
  const pinger = new Pinger({ everyMs: 1_000, maxUnanswered: 2, slices: 3, guard });
  const connections = Array.from({ length: 6 }, () => new Pinged());
  for (const connection of connections) pinger.add(connection as unknown as Connection);
  pinger.delete(connections[1] as unknown as Connection);
  const newcomer = new Pinged();
  pinger.add(newcomer as unknown as Connection);
  expect(newcomer.slice).toBe(connections[1]?.slice);
});

it('daemons of a large fleet learn over which time to spread their reconnects', () => {
  const pinger = new Pinger({ everyMs: 1_000, maxUnanswered: 2, guard, clock: () => 7 });
  const connections = Array.from({ length: 10_000 }, () => new Pinged());
  const pinged = () => {
    pinger.start();
    vi.advanceTimersByTime(1_100);
    pinger.stop();
    return new Set(connections.filter(({ pings }) => pings > 0).map(({ text }) => text));
  };
  for (const connection of connections.slice(0, 1_000)) pinger.add(connection as unknown as Connection);
  expect(pinged()).toEqual(new Set(['{"type":"ping","ts":7}']));
  for (const connection of connections.slice(1_000)) pinger.add(connection as unknown as Connection);
  expect(pinged()).toEqual(new Set(['{"type":"ping","ts":7,"spread_ms":6000}']));
});

it('a large slice is pinged over several turns of the event loop', () => {
  const pinger = new Pinger({ everyMs: 1_000, maxUnanswered: 2, slices: 1, guard });
  const connections = Array.from({ length: 100 }, () => new Pinged());
  for (const connection of connections) pinger.add(connection as unknown as Connection);
  pinger.start();
  const sent = () => connections.reduce((sum, { pings }) => sum + pings, 0);
  for (let turn = 1; turn <= 10; turn++) {
    vi.advanceTimersToNextTimer();
    expect(sent()).toBe(10 * turn);
  }
  pinger.stop();
});
