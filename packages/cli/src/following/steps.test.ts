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
const started_at = moment(0);

test('a line accounts for the time since the previous one; the rest belongs to the current step', () => {
  const running = stepsOf({ status: 'running', started_at, finished_at: null }, logs, Date.parse(moment(7)));
  expect(running).toEqual([
    { name: 'pull', state: 'done', said: 'Pulled 48 MB', ms: 4000 },
    { name: 'start', state: 'done', said: 'Started hortus-feeds', ms: 1000 },
    { name: 'under way', state: 'running', said: '', ms: 2000 },
  ]);
});

test('the first line counts from the start of the deployment', () => {
  const running = stepsOf({ status: 'running', started_at, finished_at: null }, [], Date.parse(moment(3)));
  expect(running).toEqual([{ name: 'under way', state: 'running', said: '', ms: 3000 }]);
  expect(stepsOf({ status: 'pending', started_at: null, finished_at: null }, [], Date.parse(moment(3)))).toEqual([]);
});

test('the step with the error has failed, otherwise the last step', () => {
  const states = (status: 'success' | 'failed', more = logs) =>
    stepsOf({ status, started_at, finished_at: moment(6) }, more, Date.parse(moment(99))).map(({ state }) => state);
  expect(states('success')).toEqual(['done', 'done']);
  expect(states('failed')).toEqual(['done', 'failed']);
  const wentBack = [
    ...logs,
    { ...line(6, 'start', 'No'), level: 'error' as const },
    line(7, 'restore', 'Serves again'),
  ];
  expect(states('failed', wentBack)).toEqual(['done', 'failed', 'done']);
});

test('the step list is aligned and fits the terminal', () => {
  const steps = stepsOf({ status: 'running', started_at, finished_at: null }, logs, Date.parse(moment(70)));
  const lines = stepLines(scriptedTerminal([], { width: 36, live: true }), steps);
  expect(lines).toEqual([
    '● pull           4.0 s  Pulled 48 …',
    '● start          1.0 s  Started ho…',
    '◐ under way  1 min 5 s',
  ]);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(36);
});
