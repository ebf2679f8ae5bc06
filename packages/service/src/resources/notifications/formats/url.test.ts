import { growth } from '@hortus/testkit/growth';
import { expect, it } from 'vitest';
import { message } from './testing/messages.ts';
import { fill, unknownPlaceholder } from './url.ts';

it.each([
  ['opened', (length: number) => `{{${' '.repeat(length)}x`],
  ['of blanks', (length: number) => `{{${' '.repeat(length)}x}}`],
  ['opened often', (length: number) => '{{'.repeat(length)],
  ['closed often', (length: number) => `{{x${'}'.repeat(length)}`],
])('a template with a placeholder that is %s is read and filled in linear time', (_, templateOf) => {
  const read = (length: number) => unknownPlaceholder(templateOf(length));
  expect(growth(read, 8_188)).toBeLessThan(8);
  const filled = (length: number) => fill(templateOf(length), message(), 'text/plain');
  expect(growth(filled, 8_188)).toBeLessThan(8);
});
