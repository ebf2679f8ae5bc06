import { EventEmitter } from 'node:events';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { QuietLog } from '../testing/quiet-log.ts';
import { guardWith } from './guard.ts';

test('a listener that throws or rejects ends only its own operation', async () => {
  const log = new QuietLog();
  const guard = guardWith(log);
  const events = new EventEmitter();
  const takenBack: string[] = [];
  const takeBack = (what: string) => void takenBack.push(what);
  const fail = (_what: string): void => {
    throw new Error('thrown');
  };
  events.on('thrown', guard(fail, takeBack));
  events.on(
    'rejected',
    guard(async (what: string) => fail(what), takeBack),
  );
  events.emit('thrown', 'socket 1');
  events.emit('rejected', 'socket 2');
  await until(() => takenBack.length === 2, { describe: 'both to be taken back' });
  expect(takenBack).toEqual(['socket 1', 'socket 2']);
  expect(log.lines.map(({ level }) => level)).toEqual(['error', 'error']);
});

test('an error during the clean-up is caught and logged as well', () => {
  const log = new QuietLog();
  const fail = () => {
    throw new Error('thrown');
  };
  guardWith(log)(fail, fail)();
  expect(log.lines).toHaveLength(2);
});

test('a guarded listener keeps its arguments and its this value', () => {
  const events = new EventEmitter();
  const seen: unknown[] = [];
  const guard = guardWith(new QuietLog());
  events.on(
    'said',
    guard(function (this: EventEmitter, ...args: unknown[]) {
      seen.push(this, ...args);
    }),
  );
  events.emit('said', 1, 2);
  expect(seen).toEqual([events, 1, 2]);
});
