import { hash } from './dice.ts';

/** Hues of the families in the catalog, chosen to be distinguishable; other families get a hue from their name. */
const HUES: Readonly<Record<string, number>> = {
  ai: 276,
  analytics: 292,
  automation: 312,
  backup: 168,
  blog: 352,
  bookmarks: 68,
  cache: 28,
  chat: 262,
  ci: 128,
  cms: 12,
  dashboards: 48,
  database: 248,
  development: 206,
  dns: 194,
  documentation: 200,
  documents: 226,
  email: 20,
  erp: 322,
  feed: 40,
  file_sharing: 178,
  finance: 154,
  forms: 258,
  forum: 4,
  games: 132,
  git: 34,
  home: 144,
  identity: 158,
  ingress: 165,
  learning: 104,
  library: 16,
  logging: 62,
  media: 338,
  messaging: 254,
  metrics: 56,
  monitoring: 44,
  networking: 186,
  notes: 88,
  object_storage: 214,
  office: 238,
  password: 140,
  photos: 60,
  productivity: 94,
  project_management: 122,
  queue: 304,
  registry: 218,
  search: 76,
  storage: 212,
  vcs: 32,
  video: 346,
  vpn: 232,
  website: 190,
  workflow: 326,
};

export const familyHue = (family: string): number =>
  (Object.hasOwn(HUES, family) ? HUES[family] : undefined) ?? hash(`family:${family}`) % 360;

const TONES = ['deep', 'mid', 'soft', 'seed', 'stem', 'leaf'] as const;
type Tone = (typeof TONES)[number];
export type Colours = Readonly<Record<Tone | 'ground', string>>;
export const THEMES = ['any', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

type Strength = readonly [lightness: number, chroma: number];

/** `any` works on light and dark backgrounds, for pages with an unknown theme. */
const STRENGTHS: Readonly<Record<Theme, Readonly<Record<Tone, Strength>> & { readonly ground: string }>> = {
  any: {
    deep: [0.555, 0.115],
    mid: [0.6, 0.115],
    soft: [0.7, 0.105],
    seed: [0.74, 0.135],
    stem: [0.47, 0.06],
    leaf: [0.6, 0.075],
    ground: '#fbfaf5',
  },
  light: {
    deep: [0.43, 0.098],
    mid: [0.57, 0.112],
    soft: [0.735, 0.095],
    seed: [0.79, 0.135],
    stem: [0.4, 0.055],
    leaf: [0.56, 0.075],
    ground: '#fbfaf5',
  },
  dark: {
    deep: [0.57, 0.108],
    mid: [0.69, 0.105],
    soft: [0.835, 0.08],
    seed: [0.86, 0.125],
    stem: [0.55, 0.055],
    leaf: [0.7, 0.075],
    ground: '#1b201c',
  },
};

const GREEN = { stem: 152, leaf: 148 };

/**
 * Returns the colours of one plant: petals in the hue of the family, seeds in another, green leaves. `page` leaves
 * lightness and chroma to custom properties of the page, so that a change of its theme needs no new drawing.
 */
export function coloursOf(hue: number, seedHue: number, theme: Theme | 'page'): Colours {
  const hues: Record<Tone, number> = { deep: hue, mid: hue, soft: hue, seed: seedHue, ...GREEN };
  if (theme === 'page') return onPage(hues);
  const { ground, ...strengths } = STRENGTHS[theme];
  const colours = Object.fromEntries(TONES.map((tone) => [tone, hex(...strengths[tone], hues[tone])]));
  return { ...(colours as Record<Tone, string>), ground };
}

function onPage(hues: Record<Tone, number>): Colours {
  const tone = (name: Tone) =>
    `oklch(var(--mark-${name}-l) var(--mark-${name}-c) ${Math.round((hues[name] + 360) % 360)})`;
  const colours = Object.fromEntries(TONES.map((name) => [name, tone(name)])) as Record<Tone, string>;
  return { ...colours, ground: 'var(--mark-ground)' };
}

/**
 * Converts Oklch to sRGB. Done here because a viewer may not support the Oklch notation, and would show such a colour
 * as black. Colours outside sRGB lose chroma, not hue.
 */
export function hex(lightness: number, chroma: number, hue: number): string {
  const radians = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(radians), chroma * Math.sin(radians)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const outside = linear.some((part) => part < -0.0005 || part > 1.0005);
  if (outside && chroma > 0.005) return hex(lightness, chroma - 0.005, hue);
  return `#${linear.map(channel).join('')}`;
}

function channel(linear: number): string {
  const bounded = Math.min(1, Math.max(0, linear));
  const encoded = bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * bounded ** (1 / 2.4) - 0.055;
  return Math.round(encoded * 255)
    .toString(16)
    .padStart(2, '0');
}
