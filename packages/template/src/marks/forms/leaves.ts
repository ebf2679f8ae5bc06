import { around, at, type Belly, beside, disc, leaf, line, n, type Point, shape, straight } from '../drawing.ts';
import type { Form } from '../form.ts';

/** Returns a curve through three points. */
const curve = ([x0, y0]: Point, [xm, ym]: Point, [x1, y1]: Point) =>
  `M${n(x0)} ${n(y0)}Q${n(2 * xm - (x0 + x1) / 2)} ${n(2 * ym - (y0 + y1) / 2)} ${n(x1)} ${n(y1)}`;

export const pinnate: Form = (d, c, small) => {
  const full = d.pick([3, 4]);
  const pairs = small ? 2 : full;
  const bend = d.side() * d.between(3, 11);
  const open = d.between(54, 70);
  const alternate = d.chance(0.5);
  const belly = d.pick<Belly>([
    [0.3, 0.8],
    [0.5, 1.05],
    [0.15, 0.6],
  ]);
  const spine = (t: number): Point => [48 + bend * Math.sin(t * Math.PI) - bend * 0.3, 92 - 58 * t];
  const end = spine(1);
  const drawn = [line(curve(spine(0), spine(0.5), end), c.stem, small ? 5 : 3)];
  const width = small ? 22 : pairs === 3 ? 17.5 : 14;
  for (let i = 0; i < pairs; i++) {
    const t = 0.22 + 0.74 * (i / pairs);
    const length = 38 - 13 * t;
    const [x, y] = spine(t);
    const [x2, y2] = alternate ? spine(t + 0.37 / pairs) : [x, y];
    drawn.push(leaf(x, y, -open, length, width, [c.deep, c.mid], belly));
    drawn.push(leaf(x2, y2, open, length, width, [c.soft, c.mid], belly));
  }
  drawn.push(leaf(end[0], end[1] + 3, -bend * 0.8, 31, small ? 22 : 17, [c.deep, c.soft], [0.3, 0.8]));
  return drawn.join('');
};

export const palmate: Form = (d, c, small) => {
  const full = d.pick([3, 5, 7]);
  const fingers = small ? Math.min(full, 5) : full;
  const [wide, thick, shorter] = fingers === 3 ? [62, 1.5, 10] : fingers === 5 ? [43, 1.12, 7.5] : [32, 0.86, 6];
  const step = wide * d.between(0.88, 1.08);
  const slim = d.between(0.4, 0.54) * thick;
  const belly = d.pick<Belly>([
    [0.35, 0.92],
    [0.2, 0.62],
    [0.6, 1.1],
  ]);
  const lean = d.between(-8, 8);
  const stem = line(`M48 62Q${n(48 + lean)} 80 ${n(48 + lean * 1.6)} 93`, c.stem, small ? 5 : 3.4);
  // Draw the outer ones first, so that the middle one is on top.
  const places = Array.from({ length: fingers }, (_, i) => i - (fingers - 1) / 2);
  places.sort((a, b) => Math.abs(b) - Math.abs(a));
  const drawn = places.map((k) => {
    const length = 55 - Math.abs(k) * shorter;
    return leaf(48, 63, k * step, length, length * slim, [c.deep, Math.abs(k) % 2 ? c.mid : c.soft], belly);
  });
  return stem + drawn.join('');
};

export const ginkgo: Form = (d, c, small) => {
  const spread = d.between(66, 82);
  const waves = d.pick([2, 3]);
  const cleft = d.between(0.32, 0.5);
  const lean = d.side() * d.between(5, 12);
  const fan = (side: number) => {
    const points = ['48 70'];
    for (let i = 0; i <= 30; i++) {
      const t = i / 30;
      const notch = t < 0.16 ? cleft * (1 - t / 0.16) ** 1.4 : 0;
      const edge = 1 - notch - 0.05 * Math.abs(Math.sin(t * waves * Math.PI)) - 0.16 * t ** 3;
      const [x, y] = at(48, 70, side * (4 + (spread - 4) * t), 55 * edge);
      points.push(`${n(x)} ${n(y)}`);
    }
    const [x, y] = at(48, 70, side * spread * 0.96, 16);
    return `M${points.join('L')}Q${n(x)} ${n(y + 3)} 48 70Z`;
  };
  const drawn = [
    line(`M48 68Q48 82 ${n(48 + lean)} 93`, c.stem, small ? 5.4 : 3.8),
    shape(fan(-1), c.deep),
    shape(fan(1), c.soft),
  ];
  for (const side of small ? [] : [-1, 1]) {
    for (const k of [0.3, 0.52, 0.74]) {
      const angle = side * spread * k;
      drawn.push(straight(at(48, 70, angle, 18), at(48, 70, angle, 44), side < 0 ? c.mid : c.deep, 1.5));
    }
  }
  return drawn.join('');
};

/** Width of a blade from its foot to its tip, and offset of its edge along the blade. */
interface Outline {
  width(t: number): number;
  lift(t: number): number;
}

function outline(kind: string, wide: number, lobes: number): Outline {
  const lift = () => 0;
  if (kind === 'ovate') return { lift, width: (t) => wide * Math.sin(Math.PI * t ** 0.8) ** 0.85 };
  if (kind === 'heart') {
    const back = (t: number) => -0.16 * Math.sin(Math.PI * Math.min(1, t * 2.6)) * (1 - t);
    return { lift: back, width: (t) => wide * Math.sin(Math.PI * t ** 0.56) ** 0.9 };
  }
  const scallop = (t: number) => 0.8 + 0.2 * Math.cos((t * lobes + 0.5) * 2 * Math.PI);
  return { lift, width: (t) => wide * Math.sin(Math.PI * t ** 0.85) ** 0.7 * scallop(t) };
}

export const blade: Form = (d, c, small) => {
  const tilt = d.side() * d.between(14, 34);
  const kind = d.pick(['ovate', 'oak', 'heart', 'oak', 'ovate']);
  const lobes = d.pick([3, 4]);
  const wide = kind === 'ovate' ? d.between(21, 29) : kind === 'heart' ? 31 : d.between(24, 29);
  const { width, lift } = outline(kind, wide, lobes);
  const [x, y] = at(48, 48, tilt + 180, 32);
  const half = (side: number, fill: string) => {
    const points = Array.from({ length: 45 }, (_, i) => {
      const t = i / 44;
      // Rounding can make a width slightly negative, and its root NaN.
      return beside(x, y, tilt, (t + lift(t)) * 72, (width(t) || 0) * side);
    });
    return shape(`M${points.join('L')}Z`, fill);
  };
  const drawn = [
    straight([x, y], at(x, y, tilt + 180, 12), c.stem, small ? 5.4 : 3.8),
    half(-1, c.deep),
    half(1, c.soft),
  ];
  for (const t of small ? [] : [0.2, 0.36, 0.52, 0.68]) {
    const from = at(x, y, tilt, t * 74);
    for (const side of [-1, 1]) {
      const reach = width(Math.min(1, t + 0.12)) * (kind === 'oak' ? 0.66 : 0.84);
      drawn.push(straight(from, at(...from, tilt + side * 52, reach), side < 0 ? c.mid : c.deep, 1.6));
    }
  }
  return drawn.join('');
};

export const clover: Form = (d, c, small) => {
  const leaves = d.pick([3, 3, 4]);
  const turn = leaves === 3 ? d.between(-10, 10) : 45 + d.between(-8, 8);
  const bend = d.side() * d.between(6, 14);
  const y = leaves === 3 ? 47 : 45;
  const heart = (angle: number, side: number, fill: string) => {
    const p = (along: number, across: number) => beside(48, y, angle, along * 40, across * 27 * side);
    return shape(
      `M${p(0.03, 0)}C${p(0.25, 0.42)} ${p(0.5, 0.95)} ${p(0.84, 0.82)}C${p(1.1, 0.68)} ${p(1.1, 0.14)} ${p(0.88, 0)}Z`,
      fill,
    );
  };
  const drawn = around(leaves, turn, (angle) => {
    const veins = [-1, 1].map((side) =>
      straight(at(48, y, angle + side * 13, 17), at(48, y, angle + side * 21, 31), side < 0 ? c.mid : c.deep, 1.7),
    );
    return heart(angle, -1, c.deep) + heart(angle, 1, c.soft) + (small ? '' : veins.join(''));
  });
  const stem = line(`M48 ${y}Q48 74 ${n(48 + bend)} 93`, c.stem, small ? 5.4 : 3.8);
  return stem + drawn.join('') + (small ? '' : disc(48, y, 2.6, c.seed));
};

export const sprig: Form = (d, c, small) => {
  const flip = d.side();
  const full = d.pick([5, 6, 7]);
  const count = small ? 4 : full;
  const slim = d.between(0.36, 0.5);
  const fruit = d.chance(0.45) && !small;
  const spine = (t: number): Point => {
    const bow = Math.sin(t * Math.PI);
    return [48 + flip * (-30 + 56 * t + 6 * bow), 88 - 66 * t - 9 * bow];
  };
  const end = spine(1);
  const drawn = [line(curve(spine(0), spine(0.5), end), c.stem, small ? 5 : 3)];
  for (let i = 0; i < count; i++) {
    const t = 0.16 + (0.74 * i) / count;
    const [x, y] = spine(t);
    const length = (small ? 32 : 30) - t * 5;
    const tones: [string, string] = i % 2 ? [c.deep, c.mid] : [c.mid, c.soft];
    drawn.push(leaf(x, y, flip * (i % 2 ? -14 : 84), length, length * (small ? 0.74 : slim), tones, [0.3, 0.8]));
    if (fruit && i % 2) drawn.push(disc(...at(x, y, flip * 70, 10), 3.6, c.seed));
  }
  drawn.push(leaf(end[0] - flip * 2, end[1] + 2, flip * 40, 26, small ? 17 : 13, [c.deep, c.soft], [0.3, 0.8]));
  return drawn.join('');
};

/** The young frond of a fern, still rolled up. */
export const crozier: Form = (d, c, small) => {
  const flip = d.side();
  const turns = d.between(1.55, 1.95);
  const [cx, cy] = [48 + flip * 3, 43];
  const bearing = (t: number) => -90 * flip + flip * turns * 360 * t;
  const coil = (t: number): Point => at(cx, cy, bearing(t), 29 * (1 - t) ** 0.92 + 3.5);
  const drawn: string[] = [];
  const every = small ? 6 : 4;
  for (let i = 0; i / 60 < (small ? 0.45 : 0.55); i += every) {
    const t = i / 60;
    const tone = (i / every) % 2 ? c.soft : c.mid;
    const length = (small ? 15 : 14) * (1 - t * 0.5);
    drawn.push(leaf(...coil(t), bearing(t) + flip * 26, length, small ? 11 : 8.5, [tone, tone]));
  }
  const points = Array.from({ length: 61 }, (_, i) => coil(i / 60));
  const [sx, sy] = coil(0);
  const path = points.map(([x, y]) => `${n(x)} ${n(y)}`).join('L');
  const foot = 48 - flip * 20;
  drawn.push(line(`M${n(foot)} 93C${n(sx - flip)} 78 ${n(sx)} ${n(sy + 16)} ${path}`, c.deep, small ? 7.4 : 5.6));
  drawn.push(disc(...coil(1), small ? 6 : 5, c.seed));
  drawn.push(leaf(foot, 92, flip * 62, 34, 13, [c.leaf, c.stem]));
  return drawn.join('');
};
