import { expect, it } from 'vitest';
import { PullSummary } from './pull-summary.ts';

it('tells how far a pull is, once every two seconds however often the engine does', () => {
  let now = 0;
  const lines: string[] = [];
  const summary = new PullSummary(
    'registry/plot:1',
    (line) => lines.push(line),
    () => now,
  );
  const total = 40_000_000;
  summary.heard({ status: 'Pulling from plot' });
  summary.heard({ status: 'Pulling fs layer', layer: 'a' });
  summary.heard({ status: 'Already exists', layer: 'z' });
  for (let tick = 0; tick <= 100; tick++) {
    now = tick * 50;
    summary.heard({ status: 'Downloading', layer: tick % 2 ? 'a' : 'b', current: tick * 400_000, total });
  }
  summary.heard({ status: 'Download complete', layer: 'a' });
  now += 2_000;
  summary.heard({ status: 'Extracting', layer: 'a', current: 1, total });
  expect(lines).toEqual([
    'Pulling registry/plot:1: 32 of 80 MB of the layers begun (0 of 2 are here)',
    'Pulling registry/plot:1: 64 of 80 MB of the layers begun (0 of 2 are here)',
    'Pulling registry/plot:1: 80 of 80 MB of the layers begun (2 of 2 are here)',
  ]);
});
