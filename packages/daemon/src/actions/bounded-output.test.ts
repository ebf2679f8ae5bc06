import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BoundedOutput } from './bounded-output.ts';

const written = (limit: number, chunks: Buffer[]) => {
  const output = new BoundedOutput(limit);
  for (const chunk of chunks) output.add(chunk);
  return output;
};

it('short output is kept unchanged, however it was split', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.integer({ min: 1, max: 7 }), (text, size) => {
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const output = written(1000, chunks);
      expect(String(output)).toBe(text.replaceAll('\0', '\uFFFD'));
      expect(output.truncated).toBe(false);
    }),
  );
});

it('long output keeps its beginning and end in whole characters, and notes the omission', () => {
  const output = written(
    20,
    Array.from({ length: 100 }, () => Buffer.from('äöü€𝄞')),
  );
  const text = String(output);
  expect(output.truncated).toBe(true);
  expect(text).toMatch(/^äöü/);
  expect(text).toMatch(/𝄞$/);
  expect(text).toContain('bytes omitted');
  expect(text).not.toContain('\uFFFD');
});

it('kept output never exceeds its limit', () => {
  const output = written(
    1000,
    Array.from({ length: 1000 }, () => Buffer.alloc(997, 'x')),
  );
  expect(String(output).length).toBeLessThan(1100);
});
