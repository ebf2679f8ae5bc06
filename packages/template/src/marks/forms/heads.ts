import { around, at, disc, leaf, line, n, type Point, shape, straight } from '../drawing.ts';
import type { Form } from '../form.ts';

export const umbel: Form = (d, c, small) => {
  const full = d.pick([5, 7, 9]);
  const rays = small ? 5 : full;
  const spread = d.between(62, 84);
  const rise = d.between(40, 46);
  const radius = d.between(5.6, 7) * (rays === 5 ? 1.35 : rays === 7 ? 1 : 0.86);
  const side = d.side();
  const second = d.chance(0.5) && !small;
  const tips = Array.from({ length: rays }, (_, i) => {
    const k = (i / (rays - 1)) * 2 - 1;
    return at(48, 60, k * spread, rise * (1 - 0.16 * k * k));
  });
  const stalks = tips.map(([x, y]) =>
    line(`M48 60Q${n(48 + (x - 48) * 0.28)} ${n(60 + (y - 60) * 0.72)} ${n(x)} ${n(y)}`, c.stem, small ? 4 : 2.2),
  );
  const heads = tips.map(([x, y], i) => {
    const dot = small ? '' : disc(x, y, radius * 0.36, c.seed);
    return disc(x, y, radius, i % 2 ? c.soft : c.deep) + dot;
  });
  return [
    line('M48 92L48 60', c.stem, small ? 5 : 3.4),
    ...stalks,
    ...heads,
    leaf(48, 88, side * 52, 28, 13, [c.stem, c.leaf]),
    second ? leaf(48, 80, -side * 52, 22, 11, [c.leaf, c.stem]) : '',
  ].join('');
};

/** A dandelion clock: whole, dense, or with a part of it blown away. */
export const pappus: Form = (d, c, small) => {
  const full = d.pick([16, 18, 20]);
  const rays = small ? 10 : full;
  const turn = d.between(0, 20);
  const habit = d.pick(['whole', 'blown', 'dense']);
  const side = d.side();
  const bend = d.between(-9, 9);
  const drawn = [line(`M48 42Q${n(48 + bend)} 70 48 93`, c.stem, small ? 5 : 3.2)];
  if (habit === 'blown' && !small) {
    for (const [x, y] of BLOWN) {
      const to: Point = [48 + side * x, 46 + y];
      drawn.push(straight([to[0] - side * 7, to[1] + 6], to, c.mid, 1.9), disc(...to, 3, c.soft));
    }
  }
  around(rays, turn, (angle, i) => {
    const bearing = (((angle * side) % 360) + 360) % 360;
    if (habit === 'blown' && bearing > 12 && bearing < 92) return;
    const odd = i % 2 === 1;
    const far = habit === 'dense' ? (odd ? 35 : 22) : odd ? 36 : 30;
    const tip = at(48, 42, angle, far);
    drawn.push(straight(at(48, 42, angle, 8), tip, odd ? c.deep : c.mid, small ? 3.4 : 1.9));
    drawn.push(disc(...tip, small ? 4.6 : odd ? 3.5 : 2.6, odd ? c.soft : c.deep));
  });
  return drawn.join('') + disc(48, 42, small ? 10 : 8.5, c.seed);
};

const BLOWN = [
  [27, -27],
  [38, -15],
  [36, -34],
] as const;

/** A poppy head. */
export const capsule: Form = (d, c, small) => {
  const wide = d.between(20, 26);
  const lean = d.between(-8, 8);
  const ribs = d.pick([3, 5]);
  const sown = d.pick([0, 3, 5]);
  const side = d.side();
  const x = (part: number) => n(48 + part * wide);
  const drawn = [
    line(`M48 60Q48 78 ${n(48 + lean)} 93`, c.stem, small ? 5.4 : 3.6),
    shape(`M48 66C${x(-1.3)} 66 ${x(-1.25)} 34 ${x(-0.5)} 28L${x(0.5)} 28C${x(1.25)} 34 ${x(1.3)} 66 48 66Z`, c.deep),
  ];
  for (let i = 0; i < ribs; i++) {
    if (small && ribs === 5 && i % 2) continue;
    const k = (2 * i) / (ribs - 1) - 1;
    drawn.push(line(`M${x(k * 0.36)} 34Q${x(k * 0.92)} 50 ${x(k * 0.16)} 62`, c.soft, small ? 4 : 2.4));
  }
  const teeth = Array.from({ length: 5 }, (_, i) => {
    const from = -0.95 + (i / 5) * 1.9;
    return `Q${x(from + 0.19)} ${n(12 + Math.abs(i - 2) * 2.4)} ${x(from + 0.38)} ${n(22 + Math.abs(i - 1.5) * 0.6)}`;
  });
  drawn.push(shape(`M${x(-0.62)} 29${teeth.join('')}L${x(0.62)} 29Z`, c.mid));
  for (let i = 0; i < (small ? 0 : sown); i++) {
    drawn.push(disc(...at(48, 26, (i - (sown - 1) / 2) * 27, 19 + (i % 2) * 3), 2.4, c.seed));
  }
  return drawn.join('') + leaf(48, 86, side * 50, 25, 12, [c.leaf, c.stem]);
};

/** An ear of grain. */
export const spike: Form = (d, c, small) => {
  const full = d.pick([5, 6]);
  const rows = small ? 4 : full;
  const open = d.between(24, 40);
  const awns = d.chance(0.5) && !small;
  const bend = d.between(-6, 6);
  const side = d.side();
  const width = small ? 17 : 13.5;
  const drawn = [line(`M${n(48 + bend)} 93Q48 70 48 18`, c.stem, small ? 5 : 3)];
  for (let i = 0; i < rows; i++) {
    const y = 70 - i * (46 / rows);
    const length = 25 - i * 0.7;
    for (const s of awns ? [-1, 1] : []) {
      const from = at(48, y, s * open, length - 2);
      drawn.push(straight(from, at(...from, s * open * 0.45, 11), c.mid, 1.5));
    }
    drawn.push(leaf(48, y, -open, length, width, [c.deep, c.mid], [0.3, 0.9]));
    drawn.push(leaf(48, y, open, length, width, [c.soft, i % 2 ? c.seed : c.mid], [0.3, 0.9]));
  }
  drawn.push(leaf(48, 27, 0, 24, 14, [c.deep, c.soft], [0.3, 0.85]));
  drawn.push(leaf(48 + bend * 0.6, 88, side * 46, 27, 12, [c.leaf, c.stem]));
  return drawn.join('');
};
