/** Unit of search: a chapter of the documentation, or a template. */
export interface Passage {
  readonly title: string;
  readonly text: string;
}

export interface Hit<P extends Passage> {
  readonly passage: P;
  readonly score: number;
  /** Share of the question that the passage covers, by weight; 1 is all of it. */
  readonly coverage: number;
}

interface Posting {
  readonly passage: number;
  readonly weight: number;
}

/** Stop words. */
const STOP = new Set(
  'a about an and any are as at be by can could do does for from give have how i in is it me my need of on or our should so some tell that the their them there this to want was we what when where which who why will with would you your'.split(
    ' ',
  ),
);
const TITLE_WEIGHT = 3;
const SHORTEST_PREFIX = 3;
/** Weight of a word that only starts with the searched word. */
const PREFIX_WEIGHT = 0.5;

/** Normalizes to words without case, accents or plural. */
export function words(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP.has(word)).map(singular);
}

const singular = (word: string): string => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word);

/** Ranks passages by words: rare words count more, titles more than texts, prefix matches half. */
export class SearchIndex<P extends Passage> {
  readonly #passages: readonly P[];
  readonly #postings = new Map<string, Posting[]>();
  /** Sorted, so that words with the same prefix are adjacent. */
  readonly #vocabulary: readonly string[];

  constructor(passages: readonly P[]) {
    this.#passages = passages;
    for (const [number, { title, text }] of passages.entries()) {
      const counts = new Map<string, number>();
      for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
      for (const word of words(title)) counts.set(word, (counts.get(word) ?? 0) + TITLE_WEIGHT);
      // Dampen repeated words and long texts.
      const length = 1 + Math.log1p([...counts.values()].reduce((sum, count) => sum + count, 0)) / 4;
      for (const [word, count] of counts) {
        const postings = this.#postings.get(word) ?? [];
        postings.push({ passage: number, weight: (1 + Math.log(count)) / length });
        this.#postings.set(word, postings);
      }
    }
    this.#vocabulary = [...this.#postings.keys()].sort();
  }

  /** Returns the best hits first. */
  search(question: string, most: number): Hit<P>[] {
    const asked = [...new Set(words(question))];
    const whole = asked.reduce((sum, word) => sum + this.#rarity(word), 0);
    const scores = new Map<number, { score: number; covered: number }>();
    for (const word of asked) {
      const rarity = this.#rarity(word);
      for (const [passage, weight] of this.#matches(word)) {
        const so = scores.get(passage) ?? { score: 0, covered: 0 };
        scores.set(passage, {
          score: so.score + rarity * weight,
          covered: so.covered + rarity * Math.min(1, weight),
        });
      }
    }
    return [...scores]
      .map(([passage, { score, covered }]) => ({
        passage: this.#passages[passage] as P,
        // Prefer a passage that covers the whole question to one that repeats a part of it.
        score: score * (covered / whole),
        coverage: Math.min(1, covered / whole),
      }))
      .sort((a, b) => b.score - a.score || a.passage.title.localeCompare(b.passage.title, 'en'))
      .slice(0, most);
  }

  /** A word without matches has the highest rarity, so that it counts as not covered. */
  #rarity(word: string): number {
    const having = this.#postings.get(word)?.length ?? 0;
    return Math.log(1 + (this.#passages.length + 1) / (having + 0.5));
  }

  #matches(word: string): Map<number, number> {
    const best = new Map<number, number>();
    const add = (of: string, factor: number) => {
      for (const { passage, weight } of this.#postings.get(of) ?? [])
        best.set(passage, Math.max(best.get(passage) ?? 0, weight * factor));
    };
    add(word, 1);
    if (word.length >= SHORTEST_PREFIX) for (const longer of this.#beginning(word)) add(longer, PREFIX_WEIGHT);
    return best;
  }

  *#beginning(word: string): Generator<string> {
    let [low, high] = [0, this.#vocabulary.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#vocabulary[middle] as string) < word) low = middle + 1;
      else high = middle;
    }
    for (let at = low; this.#vocabulary[at]?.startsWith(word); at++) {
      if (this.#vocabulary[at] !== word) yield this.#vocabulary[at] as string;
    }
  }
}
