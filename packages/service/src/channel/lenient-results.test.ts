import { expect, it } from 'vitest';
import { readMessage } from './messages.ts';

const read = (message: object) => readMessage(Buffer.from(JSON.stringify(message)), false);
const about = { type: 'action_completed', execution_id: 'exe_1' };

it.each([
  ['exit_code as text', { exit_code: '0', output: 'ok' }, { exit_code: 0, output: 'ok' }],
  ['an exit_code that is not a number', { exit_code: 'killed' }, { error: 'exit_code: killed' }],
  ['output as an object', { exit_code: 0, output: { rows: 3 } }, { exit_code: 0, output: '{"rows":3}' }],
  ['output as a list', { output: ['a', 1] }, { output: '["a",1]' }],
  ['output as null', { exit_code: null, output: null }, {}],
  ['error as an object', { error: { code: 7 } }, { error: '{"code":7}' }],
])('a result over the socket with %s is accepted as text', (_, overrides, taken) => {
  expect(read({ ...about, ...overrides })).toEqual({ ...about, ...taken });
  expect(read({ ...about, type: 'action_failed', ...overrides })).toEqual({
    ...about,
    type: 'action_failed',
    ...taken,
  });
});

it('a pong is accepted with any ts', () => {
  for (const ts of [1, '1', null, undefined]) expect(read({ type: 'pong', ts })).toMatchObject({ type: 'pong' });
});
