import { expect, it } from 'vitest';
import { channelBody } from './channel-fields.ts';

it('only the fields of the chosen type are sent, so that a token typed for another type goes nowhere', () => {
  const typed = { to: 'a@example.org, b@example.org', token: 'secret', url: ' ', topic: 'garden' };
  expect(channelBody('email', typed)).toEqual({ to: ['a@example.org', 'b@example.org'] });
  expect(channelBody('ntfy', typed)).toEqual({ topic: 'garden', token: 'secret' });
});
