import MiniSearch, { type Query, type SearchOptions } from 'minisearch';

export interface TextIndexOptions<Item, Field extends string> {
  readonly fieldsOf: (item: Item) => Readonly<Record<Field, string>>;
  /** Weight of a word in each field. */
  readonly weights: Readonly<Record<Field, number>>;
  readonly words: (text: string) => string[];
}

export interface Found<Item> {
  readonly item: Item;
  /** Comparable between indexes of different sizes. */
  readonly score: number;
  /** Number of words of the query that were found. */
  readonly matched: number;
}

/** Items indexed at once, in about a millisecond; other requests are served between batches. */
const BATCH = 10;

/** Ranks items by the words in them: rare words count more than frequent ones. */
export class TextIndex<Item> {
  readonly #items: readonly Item[];
  readonly #index: MiniSearch;
  readonly #weights: Readonly<Record<string, number>>;
  readonly #rarest: number;

  private constructor(items: readonly Item[], index: MiniSearch, weights: Readonly<Record<string, number>>) {
    this.#items = items;
    this.#index = index;
    this.#weights = weights;
    // BM25's factor of a word that one item has. It grows with the index, and every score with it.
    this.#rarest = Math.log1p((items.length - 0.5) / 1.5);
  }

  static async build<Item, Field extends string>(
    items: readonly Item[],
    { fieldsOf, weights, words }: TextIndexOptions<Item, Field>,
  ): Promise<TextIndex<Item>> {
    const index = new MiniSearch({ fields: Object.keys(weights), tokenize: words, processTerm: (word) => word });
    const documents = items.map((item, id) => ({ ...fieldsOf(item), id }));
    await index.addAllAsync(documents, { chunkSize: BATCH });
    return new TextIndex(items, index, weights);
  }

  /** Returns the best matches first. The strings of the query are already words. */
  search(query: Query, options: SearchOptions): Found<Item>[] {
    const hits = this.#index.search(query, { boost: this.#weights, tokenize: (word) => [word], ...options });
    return hits.map(({ id, score, queryTerms }) => ({
      item: this.#items[id] as Item,
      score: score / this.#rarest,
      matched: queryTerms.length,
    }));
  }
}
