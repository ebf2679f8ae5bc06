export interface SeriesPoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** From 0 to 100. */
  readonly percent: number;
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
}

export const WIDTH = 600;
export const HEIGHT = 60;

/** The line of a series as an SVG path, with a gap wherever a report is missing. */
export function seriesPath(points: readonly SeriesPoint[], { from, to, stepMs }: Span): string {
  const round = (value: number) => Math.round(value * 10) / 10;
  return points
    .map(({ at, percent }, place) => {
      const before = points[place - 1];
      const isGap = before === undefined || at - before.at > 1.5 * stepMs;
      const x = round(((at - from) / (to - from)) * WIDTH);
      const y = round(HEIGHT - (percent / 100) * HEIGHT);
      return `${isGap ? 'M' : 'L'}${x} ${y}`;
    })
    .join('');
}
