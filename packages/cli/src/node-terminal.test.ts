import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { nodeTerminal } from './node-terminal.ts';

/** Streams that pass for those of a process at a terminal; what happens to them is written down in order. */
function standIn(env: Record<string, string> = {}) {
  const happened: string[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => happened.push(on ? 'the reader takes the keys' : 'the reader lets go'),
  });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  stderr.on('data', (chunk) => happened.push(String(chunk)));
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 72 });
  const own = { stdin, stdout, stderr, env, exit: () => {} } as unknown as NodeJS.Process;
  return { happened, stdin, terminal: nodeTerminal(own, () => happened.push('interrupted')) };
}

test('a hidden answer is never shown, not even one typed the moment the question appears', async () => {
  const { happened, stdin, terminal } = standIn();
  const answered = terminal.ask('Password: ', { hidden: true });
  stdin.write('correct horse\r');
  expect(await answered).toBe('correct horse');
  expect(happened.indexOf('the reader takes the keys')).toBe(0);
  expect(happened.join('')).toContain('Password: ');
  expect(happened.join('')).not.toContain('correct');
  expect(happened).toContain('the reader lets go');
});

test('a visible answer is, an interrupt is passed on, and the end of input is no answer', async () => {
  const { happened, stdin, terminal } = standIn();
  const answered = terminal.ask('Name: ');
  stdin.write('feeds\r');
  expect(await answered).toBe('feeds');
  expect(happened.join('')).toContain('feeds');
  const unanswered = terminal.ask('Again: ');
  stdin.write('\u0003');
  stdin.write('\u0004');
  await expect(unanswered).rejects.toMatchObject({ exit: 'usage' });
  expect(happened).toContain('interrupted');
});

test('colour needs a terminal that has it and nobody who refuses it', () => {
  expect(standIn().terminal).toMatchObject({ colour: true, live: true, interactive: true, width: 72 });
  expect(standIn({ NO_COLOR: '1' }).terminal.colour).toBe(false);
  expect(standIn({ NO_COLOR: '' }).terminal.colour).toBe(true);
  expect(standIn({ TERM: 'dumb' }).terminal).toMatchObject({ colour: false, live: false });
});
