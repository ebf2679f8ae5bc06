import type { RecipeDetail } from '@hortus/contract/resources/recipes';

/** A spec as text: as it was written, or the JSON in which findings count their lines. */
export const specText = (spec: RecipeDetail['spec']): string =>
  typeof spec === 'string' ? spec : JSON.stringify(spec, null, 2);
