/** FNV-1a with a finalizer; without it, similar names would give similar marks. */
export function hash(text: string): number {
  let h = 2_166_136_261;
  for (const letter of text) h = Math.imul(h ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Pseudo-random generator: the same seed gives the same values on every machine. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(min: number, max: number): number {
    return min + (max - min) * this.#next();
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[Math.floor(this.#next() * list.length)] ?? list[0];
  }

  side(): -1 | 1 {
    return this.pick([-1, 1] as const);
  }

  chance(likelihood: number): boolean {
    return this.#next() < likelihood;
  }
}
