/** Coordinates of a box of 96 by 96; 0 degrees points up, angles grow clockwise. */
export type Point = readonly [x: number, y: number];

/** Formats a number with one decimal, the smallest visible difference. */
export const n = (value: number): string => String(Math.round(value * 10) / 10 + 0);

export function at(x: number, y: number, angle: number, distance: number): Point {
  const radians = (angle * Math.PI) / 180;
  return [x + Math.sin(radians) * distance, y - Math.cos(radians) * distance];
}

export const disc = (x: number, y: number, radius: number, fill: string): string =>
  `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${fill}"/>`;

export const shape = (path: string, fill: string): string => `<path d="${path}" fill="${fill}"/>`;

export const line = (path: string, stroke: string, width: number): string =>
  `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${n(width)}" stroke-linecap="round" stroke-linejoin="round"/>`;

export const straight = (from: Point, to: Point, stroke: string, width: number): string =>
  line(`M${n(from[0])} ${n(from[1])}L${n(to[0])} ${n(to[1])}`, stroke, width);

/** Returns the path text of a point at distance `along` in a direction and `across` beside it. */
export function beside(x: number, y: number, angle: number, along: number, across: number): string {
  const [ax, ay] = at(x, y, angle, along);
  const [bx, by] = at(ax, ay, angle + 90, across);
  return `${n(bx)} ${n(by)}`;
}

/** Where a leaf is widest, from its foot (0) to its tip (1). */
export type Belly = readonly [low: number, high: number];
const PLAIN: Belly = [0.2, 0.72];

/** Draws a leaf with halves in two colours, as if lit from one side. */
export function leaf(
  x: number,
  y: number,
  angle: number,
  length: number,
  width: number,
  [left, right]: readonly [string, string],
  [low, high]: Belly = PLAIN,
): string {
  const half = (side: number, fill: string) => {
    const p = (along: number, out: number) => beside(x, y, angle, along * length, out * width * side);
    return shape(`M${p(0, 0)}C${p(low, 0.68)} ${p(high, 0.68)} ${p(1, 0)}Z`, fill);
  };
  return half(-1, left) + half(1, right);
}

/** Calls `part` for each of several parts around a centre, with its angle and index. */
export function around<T>(count: number, turn: number, part: (angle: number, index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => part(turn + (index * 360) / count, index));
}
