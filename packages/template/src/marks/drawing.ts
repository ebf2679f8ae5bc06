/** Everything is drawn in a box of 96 by 96; 0 degrees points up, angles grow clockwise. */
export type Point = readonly [x: number, y: number];

/** A number as short as it can be shown without a visible difference. */
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

/** A point as far along a direction as `along` and as far beside it as `across`, as a path writes it. */
export function beside(x: number, y: number, angle: number, along: number, across: number): string {
  const [ax, ay] = at(x, y, angle, along);
  const [bx, by] = at(ax, ay, angle + 90, across);
  return `${n(bx)} ${n(by)}`;
}

/** Where the belly of a leaf lies, from its foot (0) to its tip (1): wide low down, or high up. */
export type Belly = readonly [low: number, high: number];
const PLAIN: Belly = [0.2, 0.72];

/** A leaf whose halves have two colours: the light comes from one side. */
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

/** For each of several parts around a centre: its number and the angle it points to. */
export function around<T>(count: number, turn: number, part: (angle: number, index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => part(turn + (index * 360) / count, index));
}
