import type { TemplateItem } from '@hortus/contract/resources/templates';
import type { Query } from 'minisearch';
import { TextIndex } from '../../search/text-index.ts';
import { wordsOf } from '../../search/words.ts';

export type SearchedTemplate = Pick<TemplateItem, 'name' | 'species' | 'family' | 'description'> & {
  readonly taxonomy: Pick<TemplateItem['taxonomy'], 'tags'>;
};

/** Shorter words have too many neighbours to tell a typo from another word. */
const MIN_FORGIVEN_LENGTH = 4;

/** Finds templates by their words. Every word of a question must match: whole, as a prefix or, if that finds nothing, with a typo. */
export class TemplateSearch<Item extends SearchedTemplate> {
  readonly #index: TextIndex<Item>;

  private constructor(index: TextIndex<Item>) {
    this.#index = index;
  }

  static async build<Item extends SearchedTemplate>(items: readonly Item[]): Promise<TemplateSearch<Item>> {
    const index = await TextIndex.build(items, {
      fieldsOf: ({ name, species, family, description, taxonomy }) => ({
        name: `${name} ${species}`,
        tags: `${taxonomy.tags.join(' ')} ${family}`,
        description,
      }),
      weights: { name: 10, tags: 4, description: 1 },
      words: wordsOf,
    });
    return new TemplateSearch(index);
  }

  /** Maps each match to its score. */
  search(question: string): Map<Item, number> {
    const words = [...new Set(wordsOf(question))];
    const exact = this.#find(words, {});
    const found = exact.length > 0 ? exact : this.#find(words.map(orSwapped), { fuzzy: forgiven });
    return new Map(found.map(({ item, score }) => [item, score]));
  }

  #find(queries: Query[], options: { fuzzy?: (word: string) => false | 1 }) {
    return this.#index.search({ combineWith: 'AND', queries }, { prefix: true, ...options });
  }
}

const forgiven = (word: string): false | 1 => (word.length >= MIN_FORGIVEN_LENGTH ? 1 : false);

/** The word, or the word with two neighbouring letters swapped, which edit distance counts as two typos. */
function orSwapped(word: string): Query {
  if (!forgiven(word)) return word;
  const swapped = [...word.slice(1)].map(
    (letter, at) => `${word.slice(0, at)}${letter}${word[at]}${word.slice(at + 2)}`,
  );
  return { combineWith: 'OR', queries: [word, { queries: swapped, combineWith: 'OR', prefix: false, fuzzy: false }] };
}
