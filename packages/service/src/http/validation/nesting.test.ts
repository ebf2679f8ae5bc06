import { expect, it } from 'vitest';
import { readMessage } from '../../channel/messages.ts';
import { sending, serve } from '../testing/serve.ts';
import { isTooDeep, MAX_LEVELS } from './nesting.ts';

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

it('a value at the nesting limit passes, one level deeper is refused', () => {
  expect(isTooDeep(JSON.parse(lists(MAX_LEVELS)))).toBe(false);
  expect(isTooDeep(JSON.parse(lists(MAX_LEVELS + 1)))).toBe(true);
  expect(isTooDeep(JSON.parse(`{"a":[1,{"b":${lists(MAX_LEVELS)}}]}`))).toBe(true);
});

it.each([100, 5_000, 100_000])(
  'a body nested %i levels deep is answered with 422, wherever the nesting is',
  async (levels) => {
    await using service = await serve();
    for (const body of [
      lists(levels),
      `{"spec":{"x":${lists(levels)}}}`,
      `{"spec":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`,
    ]) {
      const response = await service.fetch('/api/v1/recipes', sending(body, 'admin'));
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({
        error: { message: 'body: must not be nested deeper than 64 levels.' },
      });
    }
  },
);

it.each([100, 5_000, 100_000])('a daemon message nested %i levels deep counts as malformed', (levels) => {
  const message = (data: string) =>
    Buffer.from(`{"type":"action_completed","execution_id":"exe_1","output":"","data":${data}}`);
  expect(readMessage(message(lists(levels)), false)).toBe('malformed');
  // The same with what has to be replaced in it, which is read in another way.
  expect(readMessage(message(`["\\u0000",${lists(levels)}]`), false)).toBe('malformed');
  expect(readMessage(message('{}'), false)).toMatchObject({ type: 'action_completed' });
});
