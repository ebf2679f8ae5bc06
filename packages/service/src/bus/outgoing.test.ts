import { expect, it } from 'vitest';
import { Outgoing, readPayload } from './outgoing.ts';

it('too many queued messages are replaced by one gap notice', () => {
  const outgoing = new Outgoing('a');
  for (let i = 0; i <= 10_000; i++) outgoing.add('keys', String(i));
  expect(outgoing.take().map(readPayload)).toEqual([{ replica: 'a', gap: true }]);
  expect(outgoing.empty).toBe(true);
});

it('unsent messages are kept for the next round without duplicates', () => {
  const outgoing = new Outgoing('a');
  outgoing.add('keys', '1');
  const unsent = outgoing.take();
  outgoing.add('keys', '1');
  outgoing.add('keys', '2');
  outgoing.putBack(unsent);
  expect(outgoing.take().map(readPayload)).toMatchObject([{ message: '1' }, { message: '2' }]);
});
