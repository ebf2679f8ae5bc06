import fc from 'fast-check';
import { expect, test } from 'vitest';
import { trimmed, withoutTrailing } from './trimmed.ts';

const text = fc.string({ unit: fc.constantFrom('/', 'a', '.') });

test('what is removed is what the pattern finds', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(withoutTrailing(value, '/')).toBe(value.replace(/\/+$/, ''));
      expect(trimmed(value, '/')).toBe(value.replace(/^\/+|\/+$/g, ''));
    }),
  );
});
