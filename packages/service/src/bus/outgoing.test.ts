import { expect, it } from 'vitest';
import { Outgoing, readPayload } from './outgoing.ts';

it('tells the others only that they missed something when too much has gathered', () => {
  const outgoing = new Outgoing('a');
  for (let i = 0; i <= 10_000; i++) outgoing.add('keys', String(i));
  expect(outgoing.take().map(readPayload)).toEqual([{ replica: 'a', gap: true }]);
  expect(outgoing.empty).toBe(true);
});

it('keeps what could not be sent, once, for the next round', () => {
  const outgoing = new Outgoing('a');
  outgoing.add('keys', '1');
  const unsent = outgoing.take();
  outgoing.add('keys', '1');
  outgoing.add('keys', '2');
  outgoing.putBack(unsent);
  expect(outgoing.take().map(readPayload)).toMatchObject([{ message: '1' }, { message: '2' }]);
});
