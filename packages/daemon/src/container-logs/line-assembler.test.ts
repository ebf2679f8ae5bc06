import { describe, expect, it } from 'vitest';
import { LineAssembler, MAX_BYTES } from './line-assembler.ts';

const piece = (text: string, ends: boolean, stream: 'stdout' | 'stderr' = 'stdout') => ({
  stream,
  at: '1700000000.000000000',
  content: Buffer.from(text),
  ends,
});

describe('a line of a container', () => {
  it('is joined from its parts, also if both streams are in the middle of one', () => {
    const lines = new LineAssembler().add([
      piece('out ', false),
      piece('err ', false, 'stderr'),
      piece('one\r', true),
      piece('two', true, 'stderr'),
    ]);
    expect(lines.map(({ text }) => text)).toEqual(['out one', 'err two']);
  });

  it('without an end is cut at a limit, however many parts it has', () => {
    const assembler = new LineAssembler();
    for (let part = 0; part < 100; part++) expect(assembler.add([piece('x'.repeat(1_024), false)])).toEqual([]);
    const [line] = assembler.rest();
    expect(line).toMatchObject({ cut: true });
    expect(line?.text).toHaveLength(MAX_BYTES);
  });
});
