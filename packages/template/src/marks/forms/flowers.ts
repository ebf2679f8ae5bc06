import { around, at, type Belly, disc, leaf, line, n, shape } from '../drawing.ts';
import type { Form } from '../form.ts';

export const corolla: Form = (d, c, small) => {
  const petals = d.pick([4, 5, 6, 8]);
  const turn = d.between(0, 360 / petals);
  const wide = (petals === 4 ? 33 : 150 / petals) * d.between(0.92, 1.12);
  const belly = d.pick<Belly>([
    [0.3, 1.05],
    [0.45, 1.15],
    [0.25, 0.8],
  ]);
  const sepals = d.chance(0.6) && !small;
  const behind = sepals
    ? around(petals, turn + 180 / petals, (angle) => leaf(48, 48, angle, 37, 11, [c.stem, c.stem]))
    : [];
  const crown = around(petals, turn, (angle) => leaf(48, 48, angle, 41, wide, [c.deep, c.soft], belly));
  return [...behind, ...crown, disc(48, 48, 11.5, c.ground), disc(48, 48, 9, c.seed)].join('');
};

export const daisy: Form = (d, c, small) => {
  const full = d.pick([12, 14, 16]);
  const petals = small ? full / 2 + 2 : full;
  const turn = d.between(0, 30);
  const tall = d.chance(0.5);
  const [y, r] = tall ? [36, 29] : [48, 42];
  const bend = d.between(-8, 8);
  const side = d.side();
  const stem = tall
    ? line(`M48 50Q${n(48 + bend)} 72 48 92`, c.stem, small ? 5 : 3.4) +
      leaf(48, 86, side * 48, 27, 13, [c.stem, c.leaf])
    : '';
  const rays = around(petals, turn, (angle, i) => {
    const tone = i % 2 ? c.soft : c.deep;
    return leaf(48, y, angle, r, (r * 5.9) / petals, [tone, tone], [0.5, 1.1]);
  });
  return stem + rays.join('') + disc(48, y, r * 0.34, c.ground) + disc(48, y, r * 0.28, c.seed);
};

export const rosette: Form = (d, c, small) => {
  const petals = d.pick([6, 7, 8]);
  const turn = d.between(0, 40);
  const rings = [
    { length: 43, tones: [c.deep, c.mid] },
    { length: 31, tones: [c.mid, c.soft] },
    { length: 19, tones: [c.soft, c.seed] },
  ] as const;
  const drawn = rings.flatMap(({ length, tones }, ring) =>
    around(petals, turn + (ring * 180) / petals, (angle) =>
      leaf(48, 48, angle, length, (length * 3.9) / petals, tones, [0.4, 0.9]),
    ),
  );
  return drawn.join('') + (small ? '' : disc(48, 48, 3.4, c.deep));
};

export const tulip: Form = (d, c, small) => {
  const flare = d.between(-4, 7);
  const side = d.side();
  const second = d.chance(0.5) || !small;
  const inner = d.between(42, 50);
  const lit = d.chance(0.5) ? c.seed : c.soft;
  const cup = (s: number, fill: string) =>
    shape(
      `M48 58C${n(48 + s * 24)} 58 ${n(48 + s * 27)} 36 ${n(48 + s * (18 + flare))} 8C${n(48 + s * 9)} 16 ${n(48 + s * 2)} 26 48 58Z`,
      fill,
    );
  return [
    line('M48 56L48 93', c.stem, small ? 5 : 3.6),
    leaf(48, 93, side * 27, 46, 19, [c.stem, c.leaf], [0.3, 0.7]),
    second ? leaf(48, 93, -side * 36, 32, 15, [c.leaf, c.stem], [0.3, 0.7]) : '',
    cup(-1, c.deep),
    cup(1, c.mid),
    leaf(48, 58, 0, inner, 27, [c.soft, lit], [0.35, 0.8]),
  ].join('');
};

export const bells: Form = (d, c, small) => {
  const flip = d.side();
  const two = d.pick([2, 3]) === 2 || small;
  const x = (value: number) => 48 + flip * (value - 48);
  const arch = `M${x(28)} 93C${x(26)} 50 ${x(30)} 14 ${x(54)} 13C${x(68)} 13 ${x(76)} 20 ${x(77)} 30`;
  const hung: [at: number, y: number, scale: number][] = two
    ? [
        [76, 29, 1],
        [48, 15, 1.05],
      ]
    : [
        [77, 30, 0.86],
        [57, 14, 0.94],
        [38, 22, 0.78],
      ];
  const drawn = hung.map(([place, y, k]) => {
    const [bx, top, w, h] = [x(place), y + 7 * k, (small ? 14.5 : 13) * k, 27 * k];
    const half = (s: number) =>
      `M${n(bx)} ${n(top)}C${n(bx + s * w * 0.95)} ${n(top)} ${n(bx + s * w * 0.62)} ${n(top + h * 0.6)} ${n(bx + s * w)} ${n(top + h)}L${n(bx + s * w * 0.5)} ${n(top + h * 0.84)}L${n(bx)} ${n(top + h)}Z`;
    return [
      line(`M${n(bx)} ${n(y)}L${n(bx)} ${n(top + 2)}`, c.stem, small ? 4 : 2.4),
      disc(bx, top + h * 0.98, small ? 4.2 : 3.2 * k, c.seed),
      shape(half(-1), c.deep),
      shape(half(1), c.soft),
    ].join('');
  });
  const foot = leaf(x(28), 92, flip * 24, 40, 16, [c.stem, c.leaf], [0.3, 0.7]);
  return line(arch, c.stem, small ? 5 : 3.2) + drawn.join('') + foot;
};

export const lotus: Form = (d, c, small) => {
  const layers = small ? 2 : 3;
  const spread = d.between(0.92, 1.1);
  const lit = d.chance(0.5) ? c.seed : c.soft;
  const wide = d.between(26, 34);
  const dip = d.between(84, 90);
  const tones = [
    [c.deep, c.deep],
    [c.mid, c.deep],
    [c.soft, c.mid],
  ] as const;
  const drawn: string[] = [];
  for (let k = layers; k >= 1; k--) {
    const [outer, inner] = tones[layers - k] ?? tones[0];
    for (const s of [-1, 1]) {
      const pair: [string, string] = s < 0 ? [outer, inner] : [inner, outer];
      drawn.push(leaf(48, 72, s * k * (small ? 38 : 27) * spread, 56 - k * 4, 24, pair, [0.32, 0.82]));
    }
  }
  drawn.push(leaf(48, 72, 0, 59, 27, [c.soft, lit], [0.32, 0.82]));
  drawn.push(line(`M${n(48 - wide)} 80Q48 ${n(dip)} ${n(48 + wide)} 80`, c.stem, small ? 5.4 : 3.6));
  if (!small) drawn.push(line(`M${n(48 - wide * 0.5)} 89Q48 92.5 ${n(48 + wide * 0.5)} 89`, c.leaf, 2.6));
  return drawn.join('');
};

export const thistle: Form = (d, c, small) => {
  const full = d.pick([7, 9]);
  const blades = small ? 5 : full;
  const spread = d.between(46, 62);
  const side = d.side();
  const drawn = [line('M48 62L48 93', c.stem, small ? 5 : 3.6)];
  for (let i = 0; i < blades; i++) {
    const k = (i / (blades - 1)) * 2 - 1;
    const tone = i % 2 ? c.soft : c.deep;
    drawn.push(leaf(48, 50, k * spread, 42 - Math.abs(k) * 6, small ? 15 : 11, [tone, c.mid], [0.4, 1]));
  }
  drawn.push(shape('M30 50C30 42 66 42 66 50C68 62 58 69 48 69C38 69 28 62 30 50Z', c.stem));
  if (!small) {
    for (const [x, y] of SCALES) drawn.push(leaf(x, y + 4, 0, 8, 6, [c.leaf, c.leaf]));
    drawn.push(leaf(48, 82, -side * 58, 25, 11, [c.stem, c.leaf]));
  }
  drawn.push(leaf(48, 90, side * 54, 32, 13, [c.leaf, c.stem]));
  return drawn.join('');
};

const SCALES = [
  [38, 53],
  [48, 54],
  [58, 53],
  [43, 60],
  [53, 60],
] as const;

/** A sunflower: seeds at the golden angle. */
export const phyllotaxis: Form = (d, c, small) => {
  const full = d.pick([13, 16, 21]);
  const petals = small ? 10 : full;
  const turn = d.between(0, 30);
  const core = d.between(21, 27);
  const rays = around(petals, turn, (angle, i) => {
    const [x, y] = at(48, 48, angle, core * 0.8);
    const tones: [string, string] = i % 2 ? [c.seed, c.seed] : [c.soft, c.mid];
    return leaf(x, y, angle, 46 - core * 0.8, 190 / petals, tones, [0.3, 0.9]);
  });
  const seeds = small ? 9 : 40;
  const sown = Array.from({ length: seeds }, (_, index) => {
    const far = Math.sqrt((index + 1) / seeds);
    const [x, y] = at(48, 48, (index + 1) * 137.508, (core - 3.5) * far);
    return disc(x, y, small ? 3 : 1 + 1.1 * far, (index + 1) % 3 ? c.soft : c.seed);
  });
  return rays.join('') + disc(48, 48, core, c.deep) + sown.join('');
};
