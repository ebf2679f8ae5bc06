import { expect, it } from 'vitest';
import { SharedRoom } from './shared-room.ts';

const MIB = 1024 * 1024;

/** A room that was used up at time 0. */
function usedUp() {
  const clock = { now: 0 };
  const room = new SharedRoom(() => clock.now);
  room.spend(1024 * MIB);
  return { clock, room };
}

it('watchers share what has accrued since the last lines', () => {
  const { clock, room } = usedUp();
  clock.now = 100;
  expect(room.share(1)).toBe(2 * MIB);
  expect(room.share(4)).toBe(MIB / 2);
  room.spend(2 * MIB);
  clock.now = 200;
  expect(room.share(2)).toBe(MIB);
});

it('a quiet time leaves a limited amount for later', () => {
  const { clock, room } = usedUp();
  clock.now = 60_000;
  expect(room.share(16)).toBe(MIB);
  clock.now = 600_000;
  expect(room.share(16)).toBe(MIB);
});

it('each watcher gets some lines, however many there are', () => {
  const { room } = usedUp();
  expect(room.share(1_000_000)).toBe(4 * 1024);
});
