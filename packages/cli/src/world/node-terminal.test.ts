import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { nodeTerminal } from './node-terminal.ts';

/** Imitates the streams of a terminal and records their calls in order. */
function standIn(env: Record<string, string> = {}) {
  const happened: string[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => happened.push(on ? 'the reader takes the keys' : 'the reader closes'),
  });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  stderr.on('data', (chunk) => happened.push(String(chunk)));
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 72 });
  const own = { stdin, stdout, stderr, env, exit: () => {} } as unknown as NodeJS.Process;
  return { happened, stdin, terminal: nodeTerminal(own, () => happened.push('interrupted')) };
}

test('a hidden answer is never echoed, even if typed at once', async () => {
  const { happened, stdin, terminal } = standIn();
  const responded = terminal.ask('Password: ', { hidden: true });
  stdin.write('correct horse\r');
  expect(await responded).toBe('correct horse');
  expect(happened.indexOf('the reader takes the keys')).toBe(0);
  expect(happened.join('')).toContain('Password: ');
  expect(happened.join('')).not.toContain('correct');
  expect(happened).toContain('the reader closes');
});

test('a visible answer is echoed, an interrupt is forwarded, and end of input is an error', async () => {
  const { happened, stdin, terminal } = standIn();
  const responded = terminal.ask('Name: ');
  stdin.write('feeds\r');
  expect(await responded).toBe('feeds');
  expect(happened.join('')).toContain('feeds');
  const unanswered = terminal.ask('Again: ');
  stdin.write('\u0003');
  stdin.write('\u0004');
  await expect(unanswered).rejects.toMatchObject({ exit: 'usage' });
  expect(happened).toContain('interrupted');
});

test('colour requires a terminal that supports it and no NO_COLOR', () => {
  expect(standIn().terminal).toMatchObject({ colour: true, live: true, interactive: true, width: 72 });
  expect(standIn({ NO_COLOR: '1' }).terminal.colour).toBe(false);
  expect(standIn({ NO_COLOR: '' }).terminal.colour).toBe(true);
  expect(standIn({ TERM: 'dumb' }).terminal).toMatchObject({ colour: false, live: false });
});
