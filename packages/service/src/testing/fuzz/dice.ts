/** Reproducible random numbers: the same seed gives the same values. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer between both, inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Returns true about once in `times`. */
  oneIn(times: number): boolean {
    return this.next() * times < 1;
  }

  of<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('There is nothing to choose from.');
    return items[this.between(0, items.length - 1)] as Item;
  }

  /** Returns a seed for another generator. */
  seed(): number {
    return this.between(0, 2 ** 31 - 1);
  }
}
