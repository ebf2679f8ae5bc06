import type { Category, ShelfItem } from '@hortus/contract/resources/catalog';

/** Where a word is found, from the strongest place to the weakest. */
const WEIGHTS = { nameStart: 12, name: 8, tag: 6, family: 5, description: 2 } as const;

/**
 * Finds the species that have every word of a question, best first: in the name, the tags, the family or the
 * description. Runs on each letter, over a few hundred species in memory.
 */
export function findSpecies(
  question: string,
  species: readonly ShelfItem[],
  families: readonly Category[],
): readonly ShelfItem[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return species;
  const familyNames = new Map(families.map(({ family, name, description }) => [family, `${name} ${description}`]));
  return species
    .map((item) => ({ item, score: scoreOf(item, familyNames.get(item.family) ?? '', words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/** Zero if one of the words is nowhere. */
function scoreOf(item: ShelfItem, familyName: string, words: readonly string[]): number {
  const name = `${item.name} ${item.species}`.toLowerCase();
  const family = `${item.family} ${familyName}`.toLowerCase();
  const description = item.description.toLowerCase();
  let total = 0;
  for (const word of words) {
    const score = name.startsWith(word)
      ? WEIGHTS.nameStart
      : name.includes(word)
        ? WEIGHTS.name
        : item.tags.some((tag) => tag.includes(word))
          ? WEIGHTS.tag
          : family.includes(word)
            ? WEIGHTS.family
            : description.includes(word)
              ? WEIGHTS.description
              : 0;
    if (score === 0) return 0;
    total += score;
  }
  return total;
}
