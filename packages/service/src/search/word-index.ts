import { withinOneSlip, wordsOf } from './words.ts';

/** A part of an item, and how much a word found in it counts. */
export interface Field {
  readonly text: string;
  readonly weight: number;
}

/** Shorter words have too many neighbours for a slip to be told from another word. */
const SHORTEST_FORGIVEN = 4;
const QUALITY = { whole: 1, beginning: 0.6, slip: 0.3 } as const;

/**
 * Finds items by the words in them. Every word of a question must be found: as it is, as the beginning of a word, or, when
 * nothing has it so, with one slip. Small enough to be made anew whenever what it holds changes.
 */
export class WordIndex<Item> {
  /** How much each word counts for each item. */
  readonly #words = new Map<string, Map<Item, number>>();
  /** In order, so that words with the same beginning stand together. */
  readonly #sorted: readonly string[];

  constructor(items: Iterable<Item>, fieldsOf: (item: Item) => readonly Field[]) {
    for (const item of items) {
      for (const { text, weight } of fieldsOf(item)) {
        for (const word of wordsOf(text)) {
          const found = this.#words.get(word) ?? new Map<Item, number>();
          found.set(item, Math.max(weight, found.get(item) ?? 0));
          this.#words.set(word, found);
        }
      }
    }
    this.#sorted = [...this.#words.keys()].sort();
  }

  /** What is found, with how well; none for a question without words. */
  search(question: string): Map<Item, number> {
    const [first, ...others] = new Set(wordsOf(question));
    const found = first === undefined ? new Map<Item, number>() : this.#find(first);
    for (const word of others) {
      const also = this.#find(word);
      for (const [item, score] of found) {
        const more = also.get(item);
        if (more === undefined) found.delete(item);
        else found.set(item, score + more);
      }
    }
    return found;
  }

  #find(word: string): Map<Item, number> {
    const found = new Map<Item, number>();
    const take = (known: string, quality: number) => {
      for (const [item, weight] of this.#words.get(known) ?? []) {
        found.set(item, Math.max(weight * quality, found.get(item) ?? 0));
      }
    };
    for (const known of this.#beginningWith(word)) take(known, known === word ? QUALITY.whole : QUALITY.beginning);
    if (found.size > 0 || word.length < SHORTEST_FORGIVEN) return found;
    for (const known of this.#sorted) if (withinOneSlip(word, known)) take(known, QUALITY.slip);
    return found;
  }

  *#beginningWith(word: string): Generator<string> {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] as string) < word) low = middle + 1;
      else high = middle;
    }
    for (let at = low; this.#sorted[at]?.startsWith(word); at++) yield this.#sorted[at] as string;
  }
}
