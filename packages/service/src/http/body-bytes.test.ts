import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BodyBytes } from './body-bytes.ts';

describe('the bytes of a body', () => {
  test('come out in the order in which they arrived, however they were cut, in memory of their own size', () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 200_000 }), { minLength: 0, maxLength: 12 });
    fc.assert(
      fc.property(chunks, (parts) => {
        const whole = Buffer.concat(parts);
        const bytes = new BodyBytes(whole.length);
        let cost = 0;
        for (const part of parts) {
          // The limits of memory count what is reserved: all that has arrived, and no more than what was announced.
          cost += bytes.costOf(part.length);
          bytes.add(Buffer.from(part));
          expect(cost).toBeGreaterThanOrEqual(bytes.length);
        }
        expect(cost).toBe(whole.length);
        expect(bytes.length).toBe(whole.length);
        const taken = bytes.take();
        expect(taken.equals(whole)).toBe(true);
        if (parts.length > 1) expect(taken.buffer.byteLength).toBe(whole.length);
      }),
    );
  });

  test('of a body that is larger than announced are kept too, because the limit is checked elsewhere', () => {
    const bytes = new BodyBytes(10);
    for (let i = 0; i < 3; i++) bytes.add(Buffer.alloc(100_000, i));
    expect(bytes.take().length).toBe(300_000);
  });
});
