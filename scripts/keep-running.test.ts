import { expect, test } from 'vitest';

interface End {
  readonly code: number;
  readonly signal: string | null;
  readonly asked: boolean;
}

const { keepRunning } = (await import(new URL('keep-running.mjs', import.meta.url).href)) as {
  keepRunning(run: () => Promise<End>, options: { firstPauseMs: number; say(line: string): void }): Promise<number>;
};

async function endsWith(...ends: readonly End[]) {
  const left = [...ends];
  const said: string[] = [];
  const code = await keepRunning(async () => left.shift() as End, {
    firstPauseMs: 1,
    say: (line) => void said.push(line),
  });
  return { code, said, runs: ends.length - left.length };
}

const killed = { code: 137, signal: 'SIGKILL', asked: false };
const crashed = { code: 70, signal: null, asked: false };
const done = { code: 0, signal: null, asked: false };

test('a crashed service is restarted and the reason is printed', async () => {
  const { code, said, runs } = await endsWith(killed, crashed, done);
  expect([code, runs]).toEqual([0, 3]);
  expect(said[0]).toContain('ended by SIGKILL and is started again');
  expect(said[1]).toContain('ended with code 70 and is started again');
});

test.each([
  ['exited normally', done],
  ['could not start', { ...done, code: 1 }],
  ['was given wrong settings', { ...done, code: 2 }],
  ['was ended by a signal that was sent to npm start', { code: 143, signal: 'SIGTERM', asked: true }],
])('a service that %s is not restarted', async (_, end) => {
  expect(await endsWith(end, crashed)).toMatchObject({ runs: 1, said: [], code: end.code });
});

test('a signal during the pause stops the restarts', async () => {
  let runs = 0;
  const code = await keepRunning(
    async () => {
      runs++;
      setTimeout(() => process.emit('SIGTERM', 'SIGTERM'), 5);
      return killed;
    },
    { firstPauseMs: 60_000, say: () => undefined },
  );
  expect([code, runs]).toEqual([137, 1]);
});
