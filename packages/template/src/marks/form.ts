import type { Colours } from './colours.ts';
import type { Dice } from './dice.ts';

/**
 * Draws one plant. `small` draws fewer and bolder parts. Every random value is drawn at every size, so that the small
 * mark is the same plant with less detail.
 */
export type Form = (dice: Dice, colours: Colours, small: boolean) => string;
