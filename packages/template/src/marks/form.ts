import type { Colours } from './colours.ts';
import type { Dice } from './dice.ts';

/**
 * Draws one plant. `small` asks for fewer and bolder parts, as type has optical sizes; every throw is made at every size,
 * so that the small mark is the same plant with less detail, never another.
 */
export type Form = (dice: Dice, colours: Colours, small: boolean) => string;
