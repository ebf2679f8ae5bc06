import { expect, test } from 'vitest';
import { line, moment } from '../testing/records.ts';
import { scriptedTerminal } from '../testing/scripted-terminal.ts';
import { stepLines } from './show-progress.ts';
import { stepsOf } from './steps.ts';

const logs = [
  line(0, null, 'Taken by web-1.'),
  line(1, 'pull', 'Pulling docker.io/example/reader:2.2.19'),
  line(4, 'pull', 'Pulled 48 MB'),
  line(5, 'start', 'Started hortus-feeds'),
];

test('a step lasts until the next one begins and shows the last thing it said', () => {
  const running = stepsOf({ status: 'running', finished_at: null }, logs, Date.parse(moment(7)));
  expect(running).toEqual([
    { name: 'pull', state: 'done', said: 'Pulled 48 MB', ms: 4000 },
    { name: 'start', state: 'running', said: 'Started hortus-feeds', ms: 2000 },
  ]);
});

test('the end of the deployment ends the last step', () => {
  const states = (status: 'success' | 'failed') =>
    stepsOf({ status, finished_at: moment(6) }, logs, Date.parse(moment(99))).map(({ state, ms }) => [state, ms]);
  expect(states('success')).toEqual([
    ['done', 4000],
    ['done', 1000],
  ]);
  expect(states('failed')).toEqual([
    ['done', 4000],
    ['failed', 1000],
  ]);
});

test('drawn, the list is aligned and no line is wider than the terminal', () => {
  const steps = stepsOf({ status: 'running', finished_at: null }, logs, Date.parse(moment(70)));
  const lines = stepLines(scriptedTerminal([], { width: 32, live: true }), steps);
  expect(lines).toEqual(['● pull       4.0 s  Pulled 48 …', '◐ start  1 min 5 s  Started ho…']);
  for (const one of lines) expect(one.length).toBeLessThanOrEqual(32);
});
