import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PullReport } from './pull-progress.ts';

function reporting() {
  let now = 0;
  const report = new PullReport('team/app:1', () => now);
  const downloaded = (ms: number, current: number, layer = 'a', total = 1_000_000, status = 'Downloading') => {
    now += ms;
    return report.add({ status, layer, current, total });
  };
  return { report, downloaded };
}

describe('the progress of a pull', () => {
  it('is a line per ten percent, at most every two seconds', () => {
    const { downloaded } = reporting();
    expect(downloaded(500, 150_000)).toBeUndefined();
    expect(downloaded(1_600, 250_000)).toBe('Pulling team/app:1: 20 % (0.3 of 1.0 MB known so far)');
    expect(downloaded(5_000, 290_000)).toBeUndefined();
    expect(downloaded(100, 300_000)).toContain('30 %');
    expect(downloaded(100, 900_000)).toBeUndefined();
    expect(downloaded(2_000, 1_000_000)).toContain('100 %');
  });

  it('covers all layers together, without unpacking', () => {
    const { downloaded, report } = reporting();
    downloaded(0, 1, 'a');
    expect(downloaded(3_000, 1_000_000, 'b')).toContain('50 %');
    expect(downloaded(3_000, 1_000_000, 'a', 1_000_000, 'Extracting')).toBeUndefined();
    expect(report.add({ status: 'Pulling from team/app' })).toBeUndefined();
  });

  it('is at most ten lines, never decreases and never comes twice in two seconds', () => {
    const event = fc.record({
      ms: fc.integer({ min: 0, max: 5_000 }),
      layer: fc.constantFrom('a', 'b', 'c'),
      current: fc.integer({ min: 0, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        const { downloaded } = reporting();
        let now = 0;
        const said: { at: number; percent: number }[] = [];
        for (const { ms, layer, current } of events) {
          now += ms;
          const line = downloaded(ms, current, layer);
          if (line !== undefined) said.push({ at: now, percent: Number(/(\d+) %/.exec(line)?.[1]) });
        }
        expect(said.length).toBeLessThanOrEqual(10);
        for (const [index, item] of said.entries()) {
          const before = said[index - 1] ?? { at: 0, percent: 0 };
          expect(item.percent).toBeGreaterThanOrEqual(before.percent + 10);
          expect(item.at - before.at).toBeGreaterThanOrEqual(2_000);
        }
      }),
      { numRuns: 100 },
    );
  });
});
