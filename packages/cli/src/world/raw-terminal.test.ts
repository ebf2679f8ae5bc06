import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { rawTerminal } from './raw-terminal.ts';

/** Imitates the process of a program at a terminal, or in a pipe. */
function standIn(isTTY: boolean) {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: (on: boolean) => modes.push(on) });
  const stdout = Object.assign(new PassThrough(), { isTTY, columns: 101, rows: 33 });
  const exits: number[] = [];
  const own = Object.assign(new EventEmitter(), {
    stdin,
    stdout,
    stderr: new PassThrough(),
    exit: (code: number) => exits.push(code),
  });
  return { modes, stdin, stdout, exits, own, raw: rawTerminal(own as unknown as NodeJS.Process, () => {}) };
}

test.each(['release', 'exit'] as const)('the terminal is restored once by %s', (way) => {
  const { modes, own, stdout, raw } = standIn(true);
  const sizes: object[] = [];
  raw.takeOver((size) => sizes.push(size));
  expect(raw.size).toEqual({ cols: 101, rows: 33 });
  stdout.columns = 90;
  stdout.emit('resize');
  expect(sizes).toEqual([{ cols: 90, rows: 33 }]);
  if (way === 'release') raw.release();
  else own.emit('exit');
  raw.release();
  expect(modes).toEqual([true, false]);
  stdout.emit('resize');
  expect(sizes).toHaveLength(1);
  expect(own.eventNames()).toEqual([]);
});

test('a signal that ends the program ends it through an exit, which restores the terminal', () => {
  const { own, exits, raw } = standIn(true);
  raw.takeOver(() => {});
  own.emit('SIGTERM');
  own.emit('SIGHUP');
  expect(exits).toEqual([143, 129]);
  raw.release();
});

test('without a terminal nothing is changed, input waits for its reader, and its end is told after the last piece', async () => {
  const { modes, stdin, raw } = standIn(false);
  expect(raw.hasTerminal).toBe(false);
  raw.takeOver(() => {});
  expect(modes).toEqual([]);
  const events: string[] = [];
  const over = new Promise<void>((done) => {
    raw.read(
      async (data) => {
        events.push(`begin ${data}`);
        await new Promise((next) => setImmediate(next));
        events.push(`end ${data}`);
      },
      () => {
        events.push('no more');
        done();
      },
    );
  });
  stdin.write('one');
  stdin.end('two');
  await over;
  expect(events).toEqual(['begin one', 'end one', 'begin two', 'end two', 'no more']);
  raw.release();
});
