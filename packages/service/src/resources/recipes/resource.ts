import type { Resource } from '../../resource.ts';
import type { Pages } from '../../storage/page.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import type { Catalog } from '../templates/public.ts';
import { RecipeReview } from './review.ts';
import { recipeRoutes } from './routes.ts';
import { Recipes } from './service.ts';

interface Needs {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly work: Work;
  readonly catalog: Pick<Catalog, 'load'>;
}

export const resource = {
  tables: ['recipes', 'recipe_upvotes'],
  wire: ({ reader, pages, work, catalog }: Needs) => ({
    handlers: recipeRoutes(
      new Recipes({ reader, pages, work }),
      new RecipeReview({ reader, work, reloadCatalog: () => catalog.load() }),
    ),
  }),
} satisfies Resource<Needs>;
