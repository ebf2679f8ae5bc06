import { expect, test } from 'vitest';

test('a test that passes', () => {});

test('a test that fails', () => {
  expect('the message of the failure').toBe('something else');
});
