import { around, at, beside, disc, leaf, line, n, type Point, shape, straight } from '../drawing.ts';
import type { Form } from '../form.ts';

const CLUSTERS: readonly [readonly Point[], ...(readonly Point[])[]] = [
  [
    [34, 62],
    [56, 68],
    [44, 40],
    [66, 46],
    [58, 20],
  ],
  [
    [30, 50],
    [52, 62],
    [46, 34],
    [68, 44],
    [64, 20],
  ],
  [
    [40, 66],
    [62, 60],
    [32, 42],
    [56, 36],
    [46, 15],
  ],
];

export const berries: Form = (d, c, small) => {
  const flip = d.side();
  const cluster = d.pick(CLUSTERS);
  const foot = 48 + d.between(-3, 3);
  const radius = d.between(9, 11) + (small ? 1.5 : 0);
  const x = (value: number) => 48 + flip * (value - 48);
  const drawn = [line(`M${n(x(foot))} 93C${x(50)} 70 ${x(48)} 50 ${x(52)} 26`, c.stem, small ? 5 : 3)];
  for (const [bx, by] of cluster) {
    const path = `M${x(50)} ${n(by + 14)}Q${n(x((bx + 50) / 2))} ${n(by + 11)} ${x(bx)} ${by}`;
    drawn.push(line(path, c.stem, small ? 4 : 2.2));
  }
  for (const [i, [bx, by]] of cluster.entries()) {
    drawn.push(disc(x(bx), by, radius, i % 2 ? c.mid : c.deep));
    drawn.push(disc(x(bx) + radius * 0.3, by - radius * 0.3, radius * 0.34, i % 2 ? c.soft : c.seed));
  }
  drawn.push(leaf(x(49), 86, flip * 58, 32, 16, [c.stem, c.leaf]));
  if (!small) drawn.push(leaf(x(49), 88, -flip * 62, 24, 13, [c.leaf, c.stem]));
  return drawn.join('');
};

export const citrus: Form = (d, c, small) => {
  const full = d.pick([7, 8, 9]);
  const parts = small ? 6 : full;
  const turn = d.between(0, 360 / parts);
  const [x, y, r] = d.chance(0.7) ? [46, 53, 38] : [48, 48, 42];
  const broad = Math.tan(Math.PI / parts) * r * 0.68;
  const slices = around(parts, turn, (angle) =>
    [-1, 1]
      .map((side) => {
        const p = (along: number, across: number) => beside(x, y, angle, along * r * 0.78, across * broad * side);
        return shape(`M${p(0.12, 0)}L${p(0.84, 0.86)}Q${p(0.97, 0.9)} ${p(1, 0)}Z`, side < 0 ? c.mid : c.soft);
      })
      .join(''),
  );
  const twig = r === 38 ? leaf(x + 8, y - r + 4, 64, 36, 19, [c.leaf, c.stem]) : '';
  return [
    twig,
    disc(x, y, r, c.deep),
    disc(x, y, r * 0.86, c.ground),
    ...slices,
    disc(x, y, small ? 5 : 3.6, c.seed),
  ].join('');
};

export const pod: Form = (d, c, small) => {
  const tilt = d.side() * d.between(28, 42);
  const full = d.pick([4, 5]);
  const peas = small ? 3 : full;
  const [x, y] = at(48, 48, tilt + 180, 40);
  const drawn = [
    leaf(...at(x, y, tilt, 4), tilt + (tilt > 0 ? -64 : 64), 27, 14, [c.leaf, c.stem]),
    leaf(x, y, tilt, 82, 42, [c.deep, c.mid], [0.2, 0.8]),
  ];
  for (let i = 0; i < peas; i++) {
    const t = 0.5 + (i - (peas - 1) / 2) * (small ? 0.215 : 0.66 / peas);
    const radius = (small ? 9 : 38 / peas) * (1 - 1.1 * (t - 0.5) ** 2);
    const place = at(x, y, tilt, t * 82);
    drawn.push(disc(...place, radius + 1.6, c.ground), disc(...place, radius, i % 2 ? c.seed : c.soft));
  }
  return drawn.join('') + straight([x, y], at(x, y, tilt + 180, 9), c.stem, small ? 5.4 : 3.8);
};

export const acorn: Form = (d, c, small) => {
  const wide = d.between(22, 26);
  const flip = d.side();
  const full = d.pick([2, 3]);
  const rows = small ? 1 : full;
  const [left, right] = [n(48 - wide - 5), n(48 + wide + 5)];
  const drawn = [
    leaf(48, 22, flip * 76, 40, 20, [c.leaf, c.stem]),
    line(`M48 30Q48 18 ${n(48 - flip * 6)} 11`, c.stem, small ? 6 : 4.2),
    shape(`M${n(48 - wide)} 46C${n(48 - wide)} 70 38 82 48 92L48 46Z`, c.mid),
    shape(`M${n(48 + wide)} 46C${n(48 + wide)} 70 58 82 48 92L48 46Z`, c.soft),
    shape(`M${left} 49C${left} 18 ${right} 18 ${right} 49Q48 57 ${left} 49Z`, c.deep),
  ];
  for (let row = 0; row < rows; row++) {
    const count = 5 - row;
    for (let i = 0; i < count; i++) {
      const k = i - (count - 1) / 2;
      const y = 47 - row * (16 / rows) - Math.abs(k) * 0.6;
      drawn.push(disc(48 + (k * wide * 1.7) / 4.2, y, small ? 3.6 : 2.3, c.seed));
    }
  }
  return drawn.join('');
};
