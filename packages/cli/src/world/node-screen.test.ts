import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openNodeScreen } from './node-screen.ts';

/** Imitates the process of a terminal and records what it does, in order. */
function standIn() {
  const happened: string[] = [];
  const stdin = Object.assign(new PassThrough(), {
    setRawMode: (on: boolean) => happened.push(on ? 'raw' : 'cooked'),
  });
  const stdout = Object.assign(new EventEmitter(), {
    columns: 72,
    rows: 20,
    write: (text: string) => happened.push(text),
  });
  const own = Object.assign(new EventEmitter(), {
    stdin,
    stdout,
    exit: (code: number) => happened.push(`exit ${code}`),
  });
  const keys: string[] = [];
  const events = {
    key: (character: string) => {
      if (character === '!') throw new Error('of the listener');
      keys.push(character);
    },
    resized: () => happened.push('resized'),
  };
  const screen = openNodeScreen(own as unknown as NodeJS.Process, events, () => happened.push('interrupted'));
  return { happened, keys, stdin, stdout, own, screen };
}

const ENTERED = ['\u001b[?1049h\u001b[?25l', 'raw'];
const RESTORED = ['cooked', '\u001b[?25h\u001b[?1049l'];

test('a frame is one write, and every line clears its rest', () => {
  const { happened, screen } = standIn();
  screen.draw(['one', 'two']);
  expect(happened).toEqual([...ENTERED, '\u001b[?2026h\u001b[Hone\u001b[K\r\ntwo\u001b[K\u001b[J\u001b[?2026l']);
  expect(screen).toMatchObject({ width: 72, height: 20 });
});

test('the terminal is restored once, whatever ends the program', () => {
  const endings: [(of: ReturnType<typeof standIn>) => void, string[]][] = [
    [({ screen }) => screen.close(), []],
    [({ own }) => own.emit('exit', 1), []],
    [({ own }) => own.emit('SIGTERM', 'SIGTERM'), ['exit 143']],
    [({ own }) => own.emit('SIGHUP', 'SIGHUP'), ['exit 129']],
    [({ stdin }) => stdin.emit('data', Buffer.from('\u0003')), ['interrupted']],
    [({ stdin }) => stdin.emit('end'), ['interrupted']],
    [({ stdin }) => expect(() => stdin.emit('data', Buffer.from('!'))).toThrow('of the listener'), []],
  ];
  for (const [end, then] of endings) {
    const made = standIn();
    end(made);
    expect(made.happened).toEqual([...ENTERED, ...RESTORED, ...then]);
    made.screen.close();
    made.screen.draw(['late']);
    expect(made.happened).toHaveLength(ENTERED.length + RESTORED.length + then.length);
    expect(made.own.eventNames()).toEqual([]);
    expect(made.stdin.isPaused()).toBe(true);
  }
});

test('keys are passed on one by one; arrows are not taken for letters', () => {
  const { keys, stdin, stdout, happened } = standIn();
  stdin.emit('data', Buffer.from('s'));
  stdin.emit('data', Buffer.from('\u001b[A'));
  stdin.emit('data', Buffer.from('sq\r'));
  expect(keys).toEqual(['s', 's', 'q']);
  stdout.emit('resize');
  expect(happened).toContain('resized');
});
