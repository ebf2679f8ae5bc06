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
  /** Maximum lean in degrees. */
  readonly lean?: number;
  /** Never swaps deep and soft, because its outline uses the deep tone. */
  readonly steady?: true;
}

/** The forms of plants. Append new ones: inserting one would change the mark of every species. */
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

/** Size in pixels below which a mark has fewer and bolder parts. */
const SMALL = 40;
/** Seed with which no two species of a family in the shipped catalog share a form. */
const SEASON = 219_342;
/** Natural hues of pollen. */
const POLLEN = [88, 88, 72, 56] as const;

export interface MarkOptions {
  /** In pixels; 96 by default. */
  size?: number;
  theme?: Theme | 'page';
}

/**
 * Draws the mark of a species: a plant, as SVG. The slug determines the form, the family the hue, so that a family
 * shares a colour and its species differ in shape. The same slug and family give the same bytes on every machine. Uses
 * presentation attributes only, without styles or scripts, so that a strict content security policy accepts it.
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
