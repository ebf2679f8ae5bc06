import { type Colours, coloursOf, familyHue, type Theme } from './colours.ts';
import { Dice, hash } from './dice.ts';
import { n } from './drawing.ts';
import type { Form } from './form.ts';
import * as flowers from './forms/flowers.ts';
import * as fruits from './forms/fruits.ts';
import * as heads from './forms/heads.ts';
import * as leaves from './forms/leaves.ts';

interface Habit {
  readonly draw: Form;
  /** How far it may lean, in degrees. */
  readonly lean?: number;
  /** Its outline is in the deep tone, so that it never swaps deep and soft. */
  readonly steady?: true;
}

/** What a species can look like. New forms go to the end: inserting one would give every species another plant. */
const HABITS: readonly [Habit, ...Habit[]] = [
  { draw: flowers.corolla },
  { draw: flowers.daisy },
  { draw: flowers.rosette },
  { draw: heads.umbel, steady: true },
  { draw: heads.pappus, steady: true },
  { draw: leaves.pinnate, lean: 12 },
  { draw: leaves.palmate, lean: 9 },
  { draw: leaves.ginkgo, lean: 9 },
  { draw: leaves.blade },
  { draw: flowers.tulip, lean: 7 },
  { draw: heads.capsule, lean: 9 },
  { draw: heads.spike, lean: 12 },
  { draw: flowers.bells },
  { draw: fruits.berries },
  { draw: fruits.citrus },
  { draw: leaves.crozier, steady: true },
  { draw: fruits.pod, steady: true },
  { draw: fruits.acorn, lean: 12, steady: true },
  { draw: flowers.lotus, steady: true },
  { draw: flowers.phyllotaxis, steady: true },
  { draw: leaves.clover, lean: 6 },
  { draw: flowers.thistle, lean: 8 },
  { draw: leaves.sprig },
];

/** Below this many pixels a mark has fewer and bolder parts. */
const SMALL = 40;
/** One of many that would do: in this one no two species of a family that we ship have grown into the same form. */
const SEASON = 219_342;
/** The hues that pollen really has. */
const POLLEN = [88, 88, 72, 56] as const;

export interface MarkOptions {
  /** In pixels; 96 unless said. */
  size?: number;
  theme?: Theme;
}

/**
 * The mark of a species: a plant, as SVG. The slug decides the form and how it has grown, the family its hue, so that a
 * shelf reads as one colour and every book on it as another shape. The same slug and family give the same bytes on every
 * machine. It has presentation attributes only: no style, no script, nothing that a strict policy would refuse.
 */
export function mark(slug: string, family: string, { size = 96, theme = 'any' }: MarkOptions = {}): string {
  const seed = hash(`${SEASON}/${slug}`);
  const dice = new Dice(seed);
  const hue = familyHue(family) + dice.between(-13, 13);
  const pollen = dice.pick(POLLEN);
  const seedHue = Math.abs(pollen - hue) < 26 ? pollen - 50 : pollen;
  const { draw, lean = 0, steady } = HABITS[(seed >>> 7) % HABITS.length] ?? HABITS[0];
  const colours = coloursOf(hue, seedHue, theme);
  const swapped: Colours = { ...colours, deep: colours.soft, soft: colours.deep };
  const angle = lean * dice.between(-1, 1);
  const drawing = draw(dice, !steady && dice.chance(0.4) ? swapped : colours, size < SMALL);
  const leaning = `<g transform="translate(48 48)rotate(${n(angle)})scale(.93)translate(-48 -50)">${drawing}</g>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="${size}" height="${size}">${lean === 0 ? drawing : leaning}</svg>`;
}
