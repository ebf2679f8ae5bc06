import { expect, it } from 'vitest';
import { QuietLog } from '../testing/quiet-log.ts';
import { openLocalBus } from './local-bus.ts';

it('listeners of a topic are called until they unsubscribe', () => {
  const bus = openLocalBus({ log: new QuietLog() });
  const received: string[] = [];
  const stop = bus.subscribe('keys', (message) => received.push(message));
  bus.publish('keys', 'key_1');
  bus.publish('servers', 'srv_1');
  stop();
  bus.publish('keys', 'key_2');
  expect(received).toEqual(['key_1']);
});

it('a function that is subscribed twice is called twice', () => {
  const bus = openLocalBus({ log: new QuietLog() });
  let received = 0;
  const listener = () => void received++;
  const stop = bus.subscribe('keys', listener);
  bus.subscribe('keys', listener);
  bus.publish('keys');
  stop();
  bus.publish('keys');
  expect(received).toBe(3);
});

it('a listener that fails is logged, and the others are still called', () => {
  const log = new QuietLog();
  const bus = openLocalBus({ log });
  let received = 0;
  bus.subscribe('keys', () => {
    throw new Error('deaf');
  });
  bus.subscribe('keys', () => void received++);
  bus.publish('keys');
  expect(received).toBe(1);
  expect(log.lines).toMatchObject([{ level: 'error', fields: { topic: 'keys' } }]);
});

it('messages that are too long for PostgreSQL are refused', () => {
  const bus = openLocalBus({ log: new QuietLog() });
  expect(() => bus.publish('keys', 'x'.repeat(8_000))).toThrow(RangeError);
});
